// A session with the relay. People see why one fails, so the text says what TLS was needed for, and nothing about the login.
import type { RelayTarget } from './relay-url.ts'
import type { SmtpResult } from './smtp-outcome.ts'
import { type OpenedSession, openSmtpSession, type SmtpTarget, type SmtpTimeouts } from './smtp-session.ts'

export async function openRelaySession(target: SmtpTarget, options: { helloName: string; timeouts: SmtpTimeouts }): Promise<OpenedSession> {
  const opened = await openSmtpSession(target, options)
  if ('session' in opened) return opened
  const failure = withoutCredentials(opened.failure, target)
  return { ...opened, failure: opened.isTlsFailure && opened.isTlsNeeded ? withoutTls(failure, target) : failure }
}

/** Some servers repeat the name that could not log in. */
function withoutCredentials(failure: SmtpResult, { credentials }: RelayTarget): SmtpResult {
  if (credentials === null) return failure
  const { user, password } = credentials
  // In the form of AUTH PLAIN and AUTH LOGIN (RFC 4616, section 2). The longest first, because it may begin like another.
  const encoded = [`\0${user}\0${password}`, password, user].map((text) => Buffer.from(text).toString('base64').replaceAll('=', ''))
  const secrets = [...encoded, password, user].sort((one, other) => other.length - one.length)
  return { ...failure, text: secrets.reduce((text, secret) => text.replaceAll(secret, '[not shown]'), failure.text) }
}

/** RFC 3463: 4.7.4, a security feature that is not supported; 4.7.5, a cryptographic failure. */
const withoutTls = (failure: SmtpResult, { host, credentials }: RelayTarget): SmtpResult => ({
  ...failure,
  enhancedCode: failure.code === null ? '4.7.5' : '4.7.4',
  text: `SMTP_RELAY_URL needs TLS${credentials === null ? '' : ' for its password'}, and ${host} gives none: ${failure.text}`,
})
