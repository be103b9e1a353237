"""Questions about lifetimes: what keeps what alive, what ends, what runs meanwhile.

`model.lifetime` says what one call does. An object *lends* what is used only while it is there and unchanged: the
*loan*. What is lent is *perishable*: each use asks whether it is over. An object *tracks* its loans where a call or
`close()` *ends* them.
"""
