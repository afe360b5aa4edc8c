"""`holdfast bench`: how fast Holdfast is on this machine, beside its targets, its peers and the limit of its store."""
