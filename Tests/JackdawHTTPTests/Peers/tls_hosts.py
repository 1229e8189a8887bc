"""Hosts over TLS for the tests of JackdawHTTP, on loopback, by Python's ssl and http.server and certificates of openssl.

Prints one line of JSON with the ports, and ends when its input ends. Its argument is an empty folder for certificates,
which it removes at the end.
"""
import base64, hashlib, http.server, json, os, shutil, socket, socketserver, ssl, subprocess, sys, threading

folder = sys.argv[1]


def openssl(*arguments, data=None):
    return subprocess.run(["openssl", *arguments], cwd=folder, input=data, check=True, capture_output=True).stdout


def write(name, text):
    with open(os.path.join(folder, name), "w") as file:
        file.write(text)


write("ca.cnf", """
[ca]
default_ca = default
[default]
database = index.txt
new_certs_dir = .
rand_serial = yes
default_md = sha256
policy = any
email_in_dn = no
unique_subject = no
[any]
commonName = supplied
[v3_ca]
basicConstraints = critical, CA:TRUE
[host]
subjectAltName = DNS:localhost, IP:127.0.0.1
[other]
subjectAltName = DNS:other.example
[req]
distinguished_name = name
[name]
""")
write("index.txt", "")
KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-config", "ca.cnf"]
openssl("req", "-x509", *KEY, "-subj", "/CN=Test Authority", "-days", "30", "-extensions", "v3_ca", "-keyout", "ca.key",
        "-out", "ca.pem")
openssl("req", "-x509", *KEY, "-subj", "/CN=localhost", "-days", "30", "-extensions", "host", "-keyout", "self.key",
        "-out", "self.pem")


def certificate(name, extensions, start, end):
    openssl("req", "-new", *KEY, "-subj", "/CN=localhost", "-keyout", name + ".key", "-out", name + ".csr")
    openssl("ca", "-batch", "-config", "ca.cnf", "-cert", "ca.pem", "-keyfile", "ca.key", "-in", name + ".csr", "-out",
            name + ".pem", "-notext", "-extensions", extensions, "-startdate", start, "-enddate", end)


certificate("good", "host", "20200101000000Z", "20491231000000Z")
certificate("expired", "host", "20200101000000Z", "20200201000000Z")
certificate("other", "other", "20200101000000Z", "20491231000000Z")

key = openssl("pkey", "-pubin", "-outform", "DER", data=openssl("x509", "-in", "good.pem", "-pubkey", "-noout"))
pin = base64.b64encode(hashlib.sha256(key).digest()).decode()
tunnels = []


class Echo(http.server.BaseHTTPRequestHandler):
    """Answers with the request as JSON."""
    protocol_version = "HTTP/1.1"

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.answer_with({
            "method": self.command, "path": self.path, "headers": [list(item) for item in self.headers.items()],
            "body": body.hex(), "tls": self.connection.version() if isinstance(self.connection, ssl.SSLSocket) else "",
            "tunnels": tunnels,
        })

    def answer_with(self, value):
        text = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.send_header("X-Twice", "a")
        self.send_header("X-Twice", "b")
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_PUT = do_DELETE = answer

    def log_message(self, *arguments):
        pass


class Redirect(Echo):
    def answer(self):
        self.send_response(302)
        self.send_header("Location", "https://localhost:%d/elsewhere" % ports["good"])
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_POST = answer


class Proxy(socketserver.StreamRequestHandler):
    """A proxy for CONNECT. It refuses the path to port 1."""
    def handle(self):
        lines = []
        while (line := self.rfile.readline().strip()):
            lines.append(line.decode())
        tunnels.append(lines)
        host, _, port = lines[0].split()[1].rpartition(":")
        if port == "1":
            self.wfile.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
            return
        other = socket.create_connection((host, int(port)))
        self.wfile.write(b"HTTP/1.1 200 Connected\r\n\r\n")
        threading.Thread(target=copy, args=(other, self.connection), daemon=True).start()
        copy(self.connection, other)


def copy(source, target):
    try:
        while (data := source.recv(65536)):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    # With the default, 5, the system drops connections that come at once.
    request_queue_size = 128

    def handle_error(self, request, address):
        pass


def start(server):
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def context(name, version=None):
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(os.path.join(folder, name + ".pem"), os.path.join(folder, name + ".key"))
    if version:
        made.set_ciphers("ALL:@SECLEVEL=0")
        made.minimum_version = made.maximum_version = version
    return made


class TLSServer(Server):
    def __init__(self, handler, made):
        self.made = made
        super().__init__(("127.0.0.1", 0), handler)

    def finish_request(self, request, address):
        # In the thread of the connection: a slow handshake stops no other one.
        self.RequestHandlerClass(self.made.wrap_socket(request, server_side=True), address, self)

    def shutdown_request(self, request):
        self.close_request(request)


class Raw(socketserver.BaseRequestHandler):
    """Answers without a length, and ends the connection with an end of TLS or without one."""
    ends = True

    def handle(self):
        self.request.recv(65536)
        self.request.sendall(b"HTTP/1.1 200 OK\r\n\r\nhello")
        if self.ends:
            self.request.unwrap()
        self.request.close()


class Torn(Raw):
    ends = False


ports = {
    "good": start(TLSServer(Echo, context("good"))),
    "expired": start(TLSServer(Echo, context("expired"))),
    "selfSigned": start(TLSServer(Echo, context("self"))),
    "otherName": start(TLSServer(Echo, context("other"))),
    "tls11": start(TLSServer(Echo, context("good", ssl.TLSVersion.TLSv1_1))),
    "tls12": start(TLSServer(Echo, context("good", ssl.TLSVersion.TLSv1_2))),
    "redirect": start(TLSServer(Redirect, context("good"))),
    "openEnded": start(TLSServer(Raw, context("good"))),
    "torn": start(TLSServer(Torn, context("good"))),
    "proxy": start(Server(("127.0.0.1", 0), Proxy)),
    "plain": start(Server(("127.0.0.1", 0), Echo)),
}
print(json.dumps({"ports": ports, "pin": pin}), flush=True)
sys.stdin.read()
shutil.rmtree(folder)
os._exit(0)
