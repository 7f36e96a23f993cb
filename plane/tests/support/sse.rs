//! A reader of server-sent events, from the HTML standard alone.

use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::net::TcpStream;

use crate::client::{Answer, Request};

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) name: String,
    pub(crate) id: Option<u64>,
    pub(crate) data: String,
}

impl Event {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.data).unwrap()
    }
}

/// A stream that has begun.
pub(crate) struct Sse {
    connection: BufReader<TcpStream>,
    pub(crate) head: Answer,
    /// What arrived and makes no whole event yet.
    text: String,
}

impl Sse {
    /// Sends the request and reads the head of its answer.
    pub(crate) async fn open(request: Request) -> Self {
        Self::on(request.start().await).await
    }

    /// The answer to a request that was sent on this connection.
    pub(crate) async fn on(connection: TcpStream) -> Self {
        let mut connection = BufReader::new(connection);
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            assert!(
                connection.read_until(b'\n', &mut head).await.unwrap() > 0,
                "no head"
            );
        }
        let head = Answer::parse(&head);
        assert_eq!(head.status, 200);
        assert_eq!(head.header("transfer-encoding"), Some("chunked"));
        Self {
            connection,
            head,
            text: String::new(),
        }
    }

    /// The next event, comments left out; none once the stream has ended as it should.
    pub(crate) async fn event(&mut self) -> Option<Event> {
        loop {
            while let Some((block, rest)) = self.text.split_once("\n\n") {
                let block = block.to_owned();
                self.text = rest.to_owned();
                if let Some(event) = parsed(&block) {
                    return Some(event);
                }
            }
            let piece = tokio::time::timeout(Duration::from_secs(20), self.piece());
            match piece.await.expect("an event within twenty seconds") {
                Some(piece) => self.text += &piece,
                None => {
                    assert_eq!(self.text, "", "the stream ends within an event");
                    return None;
                }
            }
        }
    }

    /// All events up to the first that is looked for, with it.
    pub(crate) async fn until(&mut self, last: impl Fn(&Event) -> bool) -> Vec<Event> {
        let mut seen = Vec::new();
        loop {
            seen.push(self.event().await.expect("the stream goes on"));
            if seen.last().is_some_and(&last) {
                return seen;
            }
        }
    }

    /// One chunk of the body; none at its end.
    async fn piece(&mut self) -> Option<String> {
        let mut size = String::new();
        self.connection.read_line(&mut size).await.unwrap();
        let size = usize::from_str_radix(size.trim_end(), 16).expect("the length of a chunk");
        let mut piece = vec![0; size + 2];
        self.connection.read_exact(&mut piece).await.unwrap();
        assert_eq!(&piece[size..], b"\r\n");
        piece.truncate(size);
        (size > 0).then(|| String::from_utf8(piece).unwrap())
    }
}

/// The event of a block of lines; none where it has no data.
fn parsed(block: &str) -> Option<Event> {
    let field = |name: &str| {
        let lines = block.lines().filter_map(|line| line.split_once(": "));
        let values: Vec<_> = lines
            .filter(|(field, _)| *field == name)
            .map(|(_, value)| value)
            .collect();
        (!values.is_empty()).then(|| values.join("\n"))
    };
    Some(Event {
        name: field("event").unwrap_or_else(|| "message".to_owned()),
        id: field("id").map(|id| id.parse().unwrap()),
        data: field("data")?,
    })
}
