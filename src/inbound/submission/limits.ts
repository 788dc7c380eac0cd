// What a client may do that hands in mail. It has a key, or it can do nothing: the limits of teams are those of the API.
import { MESSAGE_BYTES_MAX } from '../../mail/attachment-content.ts'
import { INBOUND_LIMITS, type InboundLimits } from '../limits.ts'

const MIB = 1024 * 1024

export const SUBMISSION_LIMITS: InboundLimits = {
  ...INBOUND_LIMITS,
  /** A program hands in all its mail from one address. */
  connectionsPerPeerMax: 100,
  /** As many as POST /emails takes in `to`, `cc` and `bcc` together. */
  recipientsMax: 150,
  /** The limit of an email of POST /emails. */
  messageBytesMax: MESSAGE_BYTES_MAX,
  receivedBytesMax: MESSAGE_BYTES_MAX,
  messagesPerConnectionMax: 10_000,
  /** Room for 5,000 messages a second from one address. */
  commandsPerPeerPerMinute: 1_500_000,
  /** Failed keys have a limit of their own. */
  errorsPerPeerPerMinute: 3_000,
  /** Large messages that arrive, or wait to be read. A team may take up as much of it as is left. */
  waitingBytesMax: 1_024 * MIB,
  /** That of the API, which refuses new emails before this. */
  freeBytesMin: 0,
}
