"""Questions about lifetimes: what keeps what alive, what ends, what runs meanwhile.

`model.lifetime` says what one call does. An object *lends* what is used only while it is there and unchanged: the
*loan*. An object *tracks* its loans where a call or `close()` *ends* them; such loans are *perishable*: each use asks
whether they are over.
"""
