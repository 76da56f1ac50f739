"""A local web server with a page, a JSON interface and the REST protocol of UDPipe."""
