"""The page, the JSON interface and the REST protocol of UDPipe, on this machine's loopback."""
