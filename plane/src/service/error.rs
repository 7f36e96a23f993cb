//! Why a call was refused. The HTTP layer makes the problem document of it in one place; a fault of the
//! store's own goes to the log and never to the caller.

use wire::event::ModeName;
use wire::problem::EndCause;
use wire::timestamp::Timestamp;

use crate::store::StoreError;

/// One refusal of the service layer; each stands for one code of `plane-api.md`, Errors.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// The request does not fit together; `detail` says what to change.
    #[error("bad_request: {detail}")]
    BadRequest {
        /// What is wrong and what is allowed. No secret, no text of the request.
        detail: &'static str,
        /// The limit that was passed, by its name.
        limit: Option<&'static str>,
    },
    /// No credential, or none that counts here.
    #[error("unauthorized")]
    Unauthorized,
    /// The token is of an earlier epoch.
    #[error("rekeyed: token, now epoch {epoch}")]
    TokenRekeyed {
        /// The session's epoch.
        epoch: u32,
    },
    /// The proof is right for an earlier epoch.
    #[error("rekeyed: proof, now epoch {epoch}")]
    ProofRekeyed {
        /// The session's epoch.
        epoch: u32,
    },
    /// The proof or rejoin secret fits nothing. Always the same answer.
    #[error("bad_proof")]
    BadProof,
    /// The credential does not reach that far.
    #[error("forbidden: {detail}")]
    Forbidden {
        /// What it would take.
        detail: &'static str,
    },
    /// A view link does not write.
    #[error("view_only")]
    ViewOnly,
    /// The door lets nobody in.
    #[error("door_closed")]
    DoorClosed,
    /// There is no room left.
    #[error("quota_exceeded: {limit}")]
    QuotaExceeded {
        /// The limit, by its name.
        limit: &'static str,
    },
    /// Nothing here that this credential may see.
    #[error("not_found")]
    NotFound,
    /// The session id is taken.
    #[error("session_exists")]
    SessionExists,
    /// The participant id is taken, and the rejoin secret is missing or wrong.
    #[error("participant_exists")]
    ParticipantExists,
    /// The message id has other bytes or another author.
    #[error("message_id_reused: seq {seq}")]
    MessageIdReused {
        /// The seq that has it.
        seq: u64,
    },
    /// The attachment is closed already.
    #[error("chunk_conflict")]
    ChunkConflict,
    /// The epoch named is not the session's.
    #[error("epoch_moved: now {epoch}")]
    EpochMoved {
        /// The session's epoch.
        epoch: u32,
    },
    /// Agents don't wait in observe.
    #[error("mode_observe")]
    ModeObserve,
    /// The author is not in auto.
    #[error("auto_over: {mode:?}")]
    AutoOver {
        /// The author's effective mode.
        mode: ModeName,
    },
    /// Not while the session is in auto.
    #[error("in_auto")]
    InAuto,
    /// That proposal is not, or no longer, there.
    #[error("proposal_gone")]
    ProposalGone,
    /// The session is over.
    #[error("session_ended: {cause:?}")]
    SessionEnded {
        /// When.
        at: Timestamp,
        /// Why.
        cause: EndCause,
    },
    /// More bytes than allowed.
    #[error("too_large: {limit}")]
    TooLarge {
        /// The limit, by its name.
        limit: &'static str,
    },
    /// Too often.
    #[error("rate_limited: {limit}")]
    RateLimited {
        /// The limit, by its name.
        limit: &'static str,
        /// When to try again, in seconds, at least 1.
        retry_after_s: u64,
    },
    /// Nobody decided on the machine yet.
    #[error("authorization_pending")]
    AuthorizationPending,
    /// Nobody decided on the machine yet, and it asks too often.
    #[error("slow_down")]
    SlowDown {
        /// When to ask again, in seconds.
        retry_after_s: u64,
    },
    /// The device code is unknown, over, or its token was handed out. Always the same answer.
    #[error("expired_token")]
    ExpiredToken,
    /// The machine was refused.
    #[error("access_denied")]
    AccessDenied,
    /// This process is going down.
    #[error("draining")]
    Draining,
    /// The operating system gave no randomness for a token.
    #[error("no randomness")]
    NoRandomness,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
