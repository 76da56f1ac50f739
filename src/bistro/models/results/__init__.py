"""What models return, one type per ability."""
