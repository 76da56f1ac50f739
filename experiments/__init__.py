"""One file a table: the paper's figures beside ours, on our data."""
