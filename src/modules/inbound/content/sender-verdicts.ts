// Apart from what finds them, whose library takes a tenth of a start to load: only the thread that reads received mail needs that.

/**
 * What is known of the sender of a message. `gray`: nothing is said, such as by a message without a signature, by one whose signer is another domain
 * or that does not cover all that is shown, or by a policy that asks for nothing. `processing_failed`: the DNS did not answer. `unknown`: what is
 * published or written is not valid.
 */
export const SENDER_VERDICTS = ['pass', 'fail', 'gray', 'processing_failed', 'unknown'] as const
export type Verdict = (typeof SENDER_VERDICTS)[number]

export type Verdicts = { spf: Verdict; dkim: Verdict; dmarc: Verdict; arc: Verdict }
