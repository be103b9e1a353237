"""The type language: what types there are, how each is spelled, and every question that is asked of one."""
