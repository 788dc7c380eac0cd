// What the thread that reads received messages is asked, and what it answers.
import type { ReceivedContent } from '../../mail/received/received-content.ts'
import type { Origin, Verdicts } from '../../mail/received/verdicts.ts'

export type ReceivedTask = Origin & { blobKey: string }

/** 'missing': there is no such blob. */
export type ReadEmail = { content: ReceivedContent; verdicts: Verdicts } | 'missing'

export type Question = { id: number; task: ReceivedTask }

/** What our own code, or the disk, failed with. `isUnavailable`: through no fault of the message. */
export type Fault = { fault: string; isUnavailable: boolean }

export type Answer = { id: number } & ({ result: ReadEmail } | Fault)

export type ThreadSettings = { blobFolder: string; dnsServers: readonly string[]; mailHostname: string }

/** `workedOn`: where the thread writes the id of the question that it works on, which can be read even if it never ends. */
export type ThreadData = ThreadSettings & { workedOn: Int32Array }
