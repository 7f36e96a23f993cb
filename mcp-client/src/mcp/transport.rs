//! Standard input and output as the protocol's wire. The only file of the client that writes to standard output while
//! it serves MCP: one JSON-RPC message a line, nothing else.
//!
//! What the library's own line transport does not, this one does. It
//! - answers a line that is not JSON or is too long, instead of leaving whoever sent it to wait;
//! - takes a batch apart;
//! - takes link keys and tokens out of protocol errors, in which the library repeats what it was sent;
//! - does what is due after an answer, once its bytes have left ([`Deliveries`]);
//! - tells the rest of the server when the input has ended, so that waiting calls answer before the process goes;
//! - takes a last line without its line feed, as `printf` leaves it;
//! - passes over notifications that come before the first request, which would otherwise end the handshake.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use futures_util::{SinkExt as _, StreamExt as _};
use rmcp::RoleServer;
use rmcp::model::{ErrorData, JsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::JsonRpcMessageCodec;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Mutex;
use tokio_util::codec::{FramedRead, FramedWrite};
use tokio_util::sync::CancellationToken;

use super::delivery::Deliveries;
use super::lines::{self, Incoming, Lines, Outgoing, Refused};
use crate::redact;

type Output<W> = FramedWrite<W, JsonRpcMessageCodec<Outgoing>>;

/// One connection, over any pair of streams.
pub(crate) struct Connection<R, W> {
    input: FramedRead<R, Lines>,
    /// None once it is closed.
    output: Arc<Mutex<Option<Output<W>>>>,
    /// What is to be answered before the next line is read. Reading may be broken off anywhere, and begins anew.
    owed: Option<Owed>,
    /// What is left of a batch.
    batch: VecDeque<Value>,
    deliveries: Deliveries,
    input_ended: CancellationToken,
    opened: bool,
}

#[derive(Clone, Copy)]
enum Owed {
    Answer(Refused),
    Flush,
}

/// The connection to the host that started this process. Must be called inside a runtime.
pub(crate) fn stdio(
    deliveries: Deliveries,
    input_ended: CancellationToken,
) -> Connection<rmcp::transport::StdioReader, rmcp::transport::StdioWriter> {
    let (input, output) = rmcp::transport::stdio_pipes();
    Connection::new(input, output, deliveries, input_ended)
}

impl<R, W> Connection<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    /// A connection that fires `input_ended` when `input` has ended.
    pub(crate) fn new(input: R, output: W, deliveries: Deliveries, input_ended: CancellationToken) -> Self {
        Self {
            input: FramedRead::new(input, Lines::default()),
            output: Arc::new(Mutex::new(Some(FramedWrite::new(
                output,
                JsonRpcMessageCodec::new(),
            )))),
            owed: None,
            batch: VecDeque::new(),
            deliveries,
            input_ended,
            opened: false,
        }
    }

    /// Answers what was not taken. Whoever sends such lines and reads no answers is not read on either.
    async fn settle(&mut self) -> Result<(), io::Error> {
        let Some(owed) = self.owed else { return Ok(()) };
        let mut output = self.output.lock().await;
        let output = output.as_mut().ok_or_else(closed)?;
        if let Owed::Answer(refused) = owed {
            output.feed(refused.answer()).await?;
            self.owed = Some(Owed::Flush);
        }
        output.flush().await?;
        self.owed = None;
        Ok(())
    }

    /// The next message; none where the input has ended or nobody takes what is written.
    async fn next(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            self.settle().await.ok()?;
            let incoming = match self.batch.pop_front() {
                Some(message) => lines::read_of_batch(&message),
                None => lines::read(self.input.next().await?.ok()?),
            };
            match incoming {
                Incoming::Batch(messages) => self.batch = messages,
                Incoming::Message(message) => return Some(*message),
                Incoming::Nothing => {}
                Incoming::Refused(refused) => {
                    tracing::debug!(?refused, "a line was not taken");
                    self.owed = Some(Owed::Answer(refused));
                }
            }
        }
    }
}

fn closed() -> io::Error {
    io::Error::new(io::ErrorKind::NotConnected, "the connection is closed")
}

impl<R, W> Transport<RoleServer> for Connection<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        mut message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        if let JsonRpcMessage::Error(error) = &mut message {
            withhold(&mut error.error);
        }
        let answers = match &message {
            JsonRpcMessage::Response(response) => Some(response.id.clone()),
            JsonRpcMessage::Error(error) => error.id.clone(),
            _ => None,
        };
        let (deliveries, output) = (self.deliveries.clone(), self.output.clone());
        let write = async move {
            let mut output = output.lock().await;
            let output = output.as_mut().ok_or_else(closed)?;
            output.send(lines::outgoing(message)).await?;
            Ok(())
        };
        async move {
            match answers {
                Some(id) => deliveries.deliver(&id, write).await,
                None => write.await,
            }
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let Some(message) = self.next().await else {
                self.input_ended.cancel();
                return None;
            };
            self.opened |= matches!(message, JsonRpcMessage::Request(_));
            if self.opened {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        drop(self.output.lock().await.take());
        Ok(())
    }
}

/// An error of the protocol quotes names of methods, tools and members as the host wrote them.
fn withhold(error: &mut ErrorData) {
    error.message = redact::text(&error.message).into_owned().into();
    if let Some(data) = &mut error.data {
        redact::json_except(data, None);
    }
}
