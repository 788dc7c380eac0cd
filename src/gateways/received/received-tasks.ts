// What the thread that reads received messages is asked, and what it answers.
import type { EncodedContent } from '../../lib/inbound/received-content.ts'
import type { Origin, Verdicts } from '../../mail/received/verdicts.ts'
import type { BlobPlace } from '../bucket/open-blobs.ts'

/** `bytes`: of the message. */
export type ReceivedTask = Origin & { blobKey: string; bytes: number }

/** 'missing': there is no such blob. */
export type ReadEmail = { content: EncodedContent; verdicts: Verdicts } | 'missing'

export type ThreadSettings = BlobPlace & { dnsServers: readonly string[]; mailHostname: string }
