"""What several tiers place: parts of views, below the tiers that have them."""
