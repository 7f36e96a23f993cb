//! A small HTTP/1.1 client that sends exactly what a test says, one connection a request.

use std::net::SocketAddr;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// An answer, read to the end of the connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// In the order of sending, names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// Reads the bytes of one answer; the plane sends a length with each.
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let end = bytes
            .windows(4)
            .position(|four| four == b"\r\n\r\n")
            .expect("an answer has a head");
        let head = std::str::from_utf8(&bytes[..end]).unwrap();
        let mut lines = head.split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers = lines
            .map(|line| line.split_once(": ").unwrap())
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            .collect();
        let answer = Self {
            status,
            headers,
            body: bytes[end + 4..].to_vec(),
        };
        if let Some(length) = answer.header("content-length") {
            assert_eq!(answer.body.len().to_string(), length, "the answer was cut");
        }
        answer
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("not JSON: {}", self.text()))
    }

    /// The body of a success.
    pub(crate) fn ok(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text());
        self.json()
    }

    /// Checks a problem document and hands it back.
    pub(crate) fn problem(&self, status: u16, code: &str) -> Value {
        assert_eq!(self.status, status, "expected {code}: {}", self.text());
        assert_eq!(self.header("content-type"), Some("application/problem+json"));
        let body = self.json();
        assert_eq!(body["code"], code, "{body}");
        assert_eq!(body["status"], status);
        assert_eq!(body["type"], format!("urn:devpilot-session:problem:{code}"));
        for member in ["title", "detail"] {
            assert!(
                body[member].as_str().is_some_and(|text| !text.is_empty()),
                "{member}: {body}"
            );
        }
        body
    }
}

/// A request under construction.
pub(crate) struct Request {
    to: SocketAddr,
    head: String,
    body: Vec<u8>,
}

impl Request {
    pub(crate) fn new(to: SocketAddr, method: &str, target: &str) -> Self {
        let head = format!("{method} {target} HTTP/1.1\r\nHost: {to}\r\nConnection: close\r\n");
        Self {
            to,
            head,
            body: Vec::new(),
        }
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.head += &format!("{name}: {value}\r\n");
        self
    }

    pub(crate) fn bearer(self, token: &str) -> Self {
        self.header("Authorization", &format!("Bearer {token}"))
    }

    /// A JSON body with its length.
    pub(crate) fn json(self, body: &Value) -> Self {
        self.header("Content-Type", "application/json")
            .raw(body.to_string().into_bytes())
    }

    /// Any body with its length.
    pub(crate) fn raw(self, body: Vec<u8>) -> Self {
        let length = body.len().to_string();
        Self {
            body,
            ..self.header("Content-Length", &length)
        }
    }

    /// A body without a length, in pieces.
    pub(crate) fn chunked(self, body: &[u8], piece: usize) -> Self {
        let mut framed = Vec::new();
        for piece in body.chunks(piece) {
            framed.extend_from_slice(format!("{:x}\r\n", piece.len()).as_bytes());
            framed.extend_from_slice(piece);
            framed.extend_from_slice(b"\r\n");
        }
        framed.extend_from_slice(b"0\r\n\r\n");
        Self {
            body: framed,
            ..self.header("Transfer-Encoding", "chunked")
        }
    }

    /// Sends the head and hands the connection over.
    pub(crate) async fn start(&self) -> TcpStream {
        let mut stream = TcpStream::connect(self.to).await.unwrap();
        stream
            .write_all(format!("{}\r\n", self.head).as_bytes())
            .await
            .unwrap();
        stream
    }

    /// Sends everything, then reads: a client that never looks up while it writes.
    pub(crate) async fn send(self) -> Answer {
        let mut stream = self.start().await;
        stream
            .write_all(&self.body)
            .await
            .expect("the plane must take the body or let it pass");
        finish(stream).await
    }
}

/// Reads the answer to the end.
pub(crate) async fn finish(mut stream: TcpStream) -> Answer {
    let mut bytes = Vec::new();
    stream
        .read_to_end(&mut bytes)
        .await
        .expect("the connection must not be reset");
    Answer::parse(&bytes)
}
