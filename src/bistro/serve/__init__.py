"""A local web server with a web page, a JSON interface and the REST protocol of UDPipe."""
