"""A local web server with a web page, a JSON interface and UDPipe's REST protocol."""
