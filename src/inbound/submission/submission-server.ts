// Takes mail that programs hand in over SMTP, with an API key as the password. It says 250 only for what is accepted.
import type { Context } from '../../context.ts'
import type { InboundLimits } from '../limits.ts'
import { type CertificateSource, createSmtpServer, DISABLED_COMMANDS, type SmtpServer } from '../smtp-server.ts'
import { SUBMISSION_LIMITS } from './limits.ts'
import { createSubmissions } from './submissions.ts'

type Options = { certificate: CertificateSource; limits?: Partial<InboundLimits> }

export function createSubmissionServer(context: Context, { certificate, limits: given }: Options): SmtpServer {
  const { metrics } = context
  const limits: InboundLimits = { ...SUBMISSION_LIMITS, ...given }
  return createSmtpServer(context, {
    ...{ certificate, limits },
    counts: { connections: metrics.submissionConnections, refusals: metrics.submissionRefusals },
    settings: {
      disabledCommands: DISABLED_COMMANDS,
      authMethods: ['PLAIN', 'LOGIN'],
      // Sessions decide that by their peer.
      allowInsecureAuth: true,
      // Addresses are ASCII, as those of POST /emails.
      hideSMTPUTF8: true,
      hideREQUIRETLS: true,
    },
    play: ({ visits }) => createSubmissions(context, { limits, visits }),
  })
}
