"""Physics and money: pure functions that know nothing of the interface, the charts or files."""
