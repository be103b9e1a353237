"""What goes to other libraries and comes from them without a copy: DLPack and the array interfaces."""
