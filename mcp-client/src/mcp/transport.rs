//! Standard input and output as the protocol's wire. The only file of the client that writes to standard output while
//! it serves MCP: one JSON-RPC message a line, nothing else.
//!
//! On top of the library's line transport this one
//! - takes link keys and tokens out of protocol errors, in which the library repeats what it was sent;
//! - does what is due after an answer, once its bytes have left ([`Deliveries`]);
//! - tells the rest of the server when the input has ended, so that waiting calls answer before the process goes;
//! - takes a last line without its line feed, as `printf` leaves it;
//! - passes over notifications that come before the first request, which would otherwise end the handshake.

use std::io;

use rmcp::RoleServer;
use rmcp::model::{ErrorData, JsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, Chain};
use tokio_util::sync::CancellationToken;

use super::delivery::Deliveries;
use crate::redact;

/// A reader whose end is always the end of a line.
type Lines<R> = Chain<R, &'static [u8]>;

/// One connection, over any pair of streams.
pub(crate) struct Connection<R: AsyncRead, W: AsyncWrite> {
    lines: AsyncRwTransport<RoleServer, Lines<R>, W>,
    deliveries: Deliveries,
    input_ended: CancellationToken,
    opened: bool,
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
            lines: AsyncRwTransport::new(input.chain(b"\n"), output),
            deliveries,
            input_ended,
            opened: false,
        }
    }
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
        let deliveries = self.deliveries.clone();
        let write = self.lines.send(message);
        async move {
            match answers {
                Some(id) => deliveries.deliver(&id, write).await,
                None => write.await,
            }
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let Some(message) = self.lines.receive().await else {
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
        self.lines.close().await
    }
}

/// An error of the protocol quotes names of methods, tools and members as the host wrote them.
fn withhold(error: &mut ErrorData) {
    error.message = redact::text(&error.message).into_owned().into();
    if let Some(data) = &mut error.data {
        redact::json_except(data, None);
    }
}
