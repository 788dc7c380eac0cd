// What the thread that reads received messages is asked, and what it answers.
import type { ReceivedContent } from '../../mail/received/received-content.ts'
import type { Origin, Verdicts } from '../../mail/received/verdicts.ts'

export type ReceivedTask = Origin & { blobKey: string }

/** 'missing': there is no such blob. */
export type ReadEmail = { content: ReceivedContent; verdicts: Verdicts } | 'missing'

export type Question = { id: number; task: ReceivedTask }

/** `fault`: what our own code, or the disk, failed with. */
export type Answer = { id: number } & ({ result: ReadEmail } | { fault: string })

export type ThreadSettings = { blobFolder: string; dnsServers: readonly string[]; mailHostname: string }
