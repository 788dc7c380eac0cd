// What codes say about a refusal, where they can be relied on. Whether a refusal is final is judged elsewhere.
import type { Fault } from './fault.ts'

/** By subject and detail (RFC 3463, the registry of RFC 5248, and Microsoft 365). Null if the words may say more. */
export const faultOfEnhancedCode = (enhancedCode: string | null): Fault | null =>
  BY_DETAIL[enhancedCode?.slice(enhancedCode.indexOf('.') + 1) ?? ''] ?? null

/** What is left to say if the words of the answer said nothing. */
export const faultOfSubject = (enhancedCode: string | null): Fault | null => BY_SUBJECT[enhancedCode?.split('.')[1] ?? ''] ?? null

/** The sender's address or its domain, and its authentication (RFC 3463, 7372, 7505, and the codes that Gmail added). */
export const isAboutSender = (enhancedCode: string | null): boolean =>
  SENDER_DETAILS.has(enhancedCode?.slice(enhancedCode.indexOf('.') + 1) ?? '')

const SENDER_DETAILS = new Set(['1.7', '1.8', '7.20', '7.21', '7.22', '7.23', '7.24', '7.25', '7.26', '7.27', '7.30', '7.32', '7.509'])

export const faultOfSmtpCode = (code: number): Fault => BY_SMTP_CODE[code] ?? (code >= 400 && code < 500 ? 'system' : 'unclear')

const BY_DETAIL: Readonly<Record<string, Fault>> = {
  '1.1': 'address',
  '1.2': 'address',
  '1.3': 'address',
  // Several mailboxes fit.
  '1.4': 'route',
  '1.6': 'address',
  // The address of the sender.
  '1.7': 'policy',
  '1.8': 'policy',
  '1.9': 'route',
  // The domain accepts no mail (RFC 7505).
  '1.10': 'address',
  '1.90': 'policy',
  '1.351': 'address',
  // The mailbox is disabled.
  '2.1': 'address',
  '2.2': 'full',
  '2.3': 'size',
  '2.4': 'route',
  '2.121': 'system',
  '2.122': 'system',
  '3.1': 'full',
  '3.2': 'system',
  '3.4': 'size',
  '4.1': 'system',
  '4.2': 'system',
  '4.3': 'system',
  '4.5': 'system',
  '4.7': 'system',
  '4.300': 'system',
  '4.310': 'address',
  '4.312': 'system',
  '4.316': 'system',
  '4.317': 'system',
  // Too many recipients.
  '5.3': 'system',
  // The mailbox or its domain has another owner than the sender knew (RFC 7293).
  '7.17': 'address',
  '7.18': 'address',
}

const BY_SUBJECT: Readonly<Record<string, Fault>> = { 3: 'system', 4: 'route', 6: 'content', 7: 'policy' }

const BY_SMTP_CODE: Readonly<Record<number, Fault>> = {
  // The host accepts no mail at all (RFC 7504), or the mailbox has moved for good.
  521: 'address',
  551: 'address',
  552: 'full',
  556: 'address',
}
