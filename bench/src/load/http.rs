//! HTTP/1.1 over one connection that stays open, with as little work as it takes: what the generator uses, the plane
//! does not get. Answers have a `Content-Length`, as all of the plane's but streams do.

use std::net::SocketAddr;

use anyhow::{Context as _, Result, bail};
use serde::de::DeserializeOwned;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Room for one read.
const READ: usize = 16 * 1_024;
/// More headers than the plane sends.
const HEADERS: usize = 32;

/// A connection that stays open.
#[derive(Debug)]
pub(crate) struct Connection {
    /// For answers of another form.
    pub(super) stream: TcpStream,
    buffer: Vec<u8>,
}

/// An answer, in the connection's buffer.
#[derive(Debug)]
pub(crate) struct Answer<'a> {
    /// The status code.
    pub(crate) status: u16,
    /// `Retry-After`, in seconds.
    pub(crate) retry_after: Option<u64>,
    /// The body.
    pub(crate) body: &'a [u8],
}

impl Answer<'_> {
    /// The body of an answer with this status, read as JSON.
    ///
    /// # Errors
    /// Another status; another form.
    pub(crate) fn json<T: DeserializeOwned>(&self, status: u16) -> Result<T> {
        self.is(status)?;
        serde_json::from_slice(self.body).context("the plane's answer has another form")
    }

    /// That the answer has this status.
    ///
    /// # Errors
    /// Another one, with the problem document.
    pub(crate) fn is(&self, status: u16) -> Result<()> {
        if self.status != status {
            let text = String::from_utf8_lossy(self.body);
            let again = self.retry_after.map(|seconds| format!(", again in {seconds} s"));
            let again = again.unwrap_or_default();
            bail!(
                "the plane answered {} instead of {status}{again}: {text}",
                self.status
            );
        }
        Ok(())
    }
}

impl Connection {
    /// Connects.
    ///
    /// # Errors
    /// Nobody listens.
    pub(crate) async fn open(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address)
            .await
            .context("the plane can't be reached")?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            buffer: Vec::with_capacity(READ),
        })
    }

    /// Sends a request and reads its answer.
    ///
    /// # Errors
    /// The connection broke, or the answer is none.
    pub(crate) async fn exchange(&mut self, request: &[u8]) -> Result<Answer<'_>> {
        self.send(request).await?;
        self.receive().await
    }

    /// Sends a request.
    ///
    /// # Errors
    /// The connection broke.
    pub(crate) async fn send(&mut self, request: &[u8]) -> Result<()> {
        self.stream.write_all(request).await?;
        Ok(())
    }

    /// Reads the answer to what was sent.
    ///
    /// # Errors
    /// The connection broke, or the answer is none.
    pub(crate) async fn receive(&mut self) -> Result<Answer<'_>> {
        self.buffer.clear();
        let head = loop {
            self.read().await?;
            if let Some(head) = head(&self.buffer)? {
                break head;
            }
        };
        let end = head.start + head.length;
        while self.buffer.len() < end {
            self.buffer.reserve(end - self.buffer.len());
            self.read().await?;
        }
        Ok(Answer {
            status: head.status,
            retry_after: head.retry_after,
            body: self.buffer.get(head.start..end).unwrap_or_default(),
        })
    }

    async fn read(&mut self) -> Result<()> {
        self.buffer.reserve(READ);
        if self.stream.read_buf(&mut self.buffer).await? == 0 {
            bail!("the plane closed the connection");
        }
        Ok(())
    }
}

/// A figure that a plane gives of itself.
///
/// # Errors
/// It can't be reached, or has no such figure.
pub(crate) async fn gauge(plane: SocketAddr, name: &str) -> Result<f64> {
    let mut asking = Connection::open(plane).await?;
    let answer = asking.exchange(&request("GET", "/metrics", None, None)).await?;
    answer.is(200)?;
    let text = String::from_utf8_lossy(answer.body);
    text.lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok())
        .with_context(|| format!("the plane gives no {name}"))
}

/// An answer's head.
#[derive(Debug, PartialEq, Eq)]
struct Head {
    status: u16,
    retry_after: Option<u64>,
    /// Where the body starts.
    start: usize,
    /// The body's length.
    length: usize,
}

/// The head, once it is all there.
fn head(buffer: &[u8]) -> Result<Option<Head>> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut answer = httparse::Response::new(&mut headers);
    let httparse::Status::Complete(start) = answer.parse(buffer)? else {
        return Ok(None);
    };
    let number = |name: &str| {
        let header = answer
            .headers
            .iter()
            .find(|header| header.name.eq_ignore_ascii_case(name));
        header.and_then(|header| std::str::from_utf8(header.value).ok()?.parse::<u64>().ok())
    };
    Ok(Some(Head {
        status: answer.code.context("an answer without a status")?,
        retry_after: number("retry-after"),
        start,
        length: usize::try_from(number("content-length").context("an answer without Content-Length")?)?,
    }))
}

/// The head of a request with a body of so many bytes, or without one.
pub(crate) fn request_head(method: &str, path: &str, token: Option<&str>, body: Option<usize>) -> Vec<u8> {
    let mut head = format!("{method} {path} HTTP/1.1\r\nHost: bench\r\n");
    if let Some(token) = token {
        head += &format!("Authorization: Bearer {token}\r\n");
    }
    if let Some(length) = body {
        head += &format!("Content-Type: application/json\r\nContent-Length: {length}\r\n");
    }
    head += "\r\n";
    head.into_bytes()
}

/// A whole request.
pub(crate) fn request(method: &str, path: &str, token: Option<&str>, body: Option<&[u8]>) -> Vec<u8> {
    let mut request = request_head(method, path, token, body.map(<[u8]>::len));
    request.extend_from_slice(body.unwrap_or_default());
    request
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_once_it_is_whole() {
        let answer = b"HTTP/1.1 201 Created\r\ncontent-length: 5\r\nx: y\r\n\r\nhello";
        assert_eq!(head(&answer[..40]).unwrap(), None);
        let head_of_it = head(answer).unwrap().unwrap();
        assert_eq!((head_of_it.status, head_of_it.retry_after), (201, None));
        assert_eq!(&answer[head_of_it.start..][..head_of_it.length], b"hello");
        assert!(head(b"HTTP/1.1 200 OK\r\n\r\n").is_err());
        assert!(head(b"hello").is_err());
    }
}
