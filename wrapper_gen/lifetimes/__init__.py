"""Questions about lifetimes: what keeps what alive, what ends, what runs meanwhile.

`model.lifetime` says what one call does.
"""
