// Connects to a mail server as for sending, and quits before any mail.
import type { Greeting, MailServer } from '../../lib/deliverability/probes.ts'
import { isAllowedHost } from '../outbound-guard.ts'
import { openSmtpSession, type SmtpTimeouts } from './smtp-session.ts'

export type MailPortProbeOptions = {
  helloName: string
  guard: { allowPrivateNetworks: boolean }
  /** 25, except in tests. */
  port: number
  timeouts: SmtpTimeouts
}

/** Never fails. */
export async function greetMailServer({ host, address }: MailServer, options: MailPortProbeOptions): Promise<Greeting> {
  const { helloName, guard, port, timeouts } = options
  if (!isAllowedHost(address, guard)) return { host, address, kind: 'unreached', text: `${host} is not at a public address` }
  const target = { host, address, port, implicitTls: false, requireTls: false, verifyCertificate: false, credentials: null }
  const opened = await openSmtpSession(target, { helloName, timeouts })
  if ('session' in opened) {
    const { tls } = opened.session
    opened.session.quit()
    return { host, address, kind: 'ready', tls }
  }
  const { stage, code, text } = opened.failure
  return stage === 'connect' ? { host, address, kind: 'unreached', text } : { host, address, kind: 'refused', code, text }
}
