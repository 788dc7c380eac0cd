// What submission gives to those that come after.
import type { SubmissionReader } from './submission-reader.ts'

export type SubmissionContext = {
  gateways: {
    /** Reads messages that were submitted over SMTP, large ones in a thread. */
    submissions: SubmissionReader
  }
}
