// Messages as servers send them back: delivery reports (RFC 3464), complaints (RFC 5965) and automatic replies (RFC 3834).
import { generateKeyPairSync } from 'node:crypto'
import { dkimSign } from 'mailauth/lib/dkim/sign.js'
import { publicKeyText } from '../../../src/lib/crypto/keys.ts'

type ReturnedMail = {
  /** Message-ID of the mail that was sent, with its brackets. */
  messageId?: string
  /** Where its bounces go. */
  returnPath?: string
  to?: string
}

type FailedRecipient = { address: string; originalAddress?: string; status?: string; diagnostic?: string; action?: string }

const BOUNDARY = 'frontier'
const lines = (...all: (string | null)[]): string => `${all.filter((line) => line !== null).join('\r\n')}\r\n`

const headOf = ({ messageId, returnPath, to }: ReturnedMail): string =>
  lines(
    returnPath === undefined ? null : `Return-Path: <${returnPath}>`,
    'From: Acme <hello@example.com>',
    to === undefined ? null : `To: ${to}`,
    messageId === undefined ? null : `Message-ID: ${messageId}`,
    'Subject: Hello',
  )

type ReportHead = { sender?: string; sentTo?: string }

function report(
  type: string,
  parts: { type: string; content: string }[],
  { sender = 'MAILER-DAEMON@mx.example.net', sentTo = 'someone@send.example.com' }: ReportHead = {},
): string {
  const written = parts.map(({ type: each, content }) => `--${BOUNDARY}\r\nContent-Type: ${each}\r\n\r\n${content}\r\n`)
  return `${lines(
    `From: ${sender}`,
    `To: ${sentTo}`,
    'Subject: Report',
    'Auto-Submitted: auto-generated',
    'MIME-Version: 1.0',
    `Content-Type: multipart/report; report-type=${type}; boundary="${BOUNDARY}"`,
  )}\r\n${written.join('')}--${BOUNDARY}--\r\n`
}

export function deliveryReport(recipients: FailedRecipient[], mail: ReturnedMail = {}): string {
  const groups = recipients.map(
    ({ address, originalAddress, status = '5.1.1', diagnostic = 'smtp; 550 5.1.1 User unknown', action = 'failed' }) =>
      lines(
        originalAddress === undefined ? null : `Original-Recipient: rfc822; ${originalAddress}`,
        `Final-Recipient: rfc822; ${address}`,
        `Action: ${action}`,
        `Status: ${status}`,
        `Diagnostic-Code: ${diagnostic}`,
      ),
  )
  return report('delivery-status', [
    { type: 'text/plain', content: 'This is the mail system.\r\n' },
    { type: 'message/delivery-status', content: [lines('Reporting-MTA: dns; mx.example.net'), ...groups].join('\r\n') },
    { type: 'text/rfc822-headers', content: headOf(mail) },
  ])
}

type Complaint = ReturnedMail & ReportHead & { feedbackType?: string; originalMailFrom?: string; originalRcptTo?: string[] }

export function complaintReport({
  feedbackType = 'abuse',
  originalMailFrom,
  originalRcptTo = [],
  sender,
  sentTo,
  ...mail
}: Complaint = {}): string {
  const parts = [
    { type: 'text/plain', content: 'This is an email abuse report.\r\n' },
    {
      type: 'message/feedback-report',
      content: lines(
        `Feedback-Type: ${feedbackType}`,
        'User-Agent: ExampleFBL/1.0',
        'Version: 1',
        originalMailFrom === undefined ? null : `Original-Mail-From: <${originalMailFrom}>`,
        ...originalRcptTo.map((address) => `Original-Rcpt-To: <${address}>`),
      ),
    },
    { type: 'message/rfc822', content: `${headOf(mail)}\r\nHello.\r\n` },
  ]
  return report('feedback-report', parts, { ...(sender !== undefined && { sender }), ...(sentTo !== undefined && { sentTo }) })
}

export const automaticReply = (): string =>
  `${lines('From: to@example.org', 'Subject: Out of office', 'Auto-Submitted: auto-replied', 'Content-Type: text/plain')}\r\nBack on Monday.\r\n`

// Reports with a DKIM signature, and the DNS records of the keys.

const SELECTOR = 'fbl1'

const pair = generateKeyPairSync('ed25519')
const privateKey = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

/** The key is the same for all domains. */
export const keyRecord = { TXT: [`v=DKIM1; k=ed25519; p=${publicKeyText(pair.publicKey)}`] }

/** The domain only tries whether signing works. */
export const testKeyRecord = { TXT: [`v=DKIM1; k=ed25519; t=y; p=${publicKeyText(pair.publicKey)}`] }

export const keyNameOf = (domain: string): string => `${SELECTOR}._domainkey.${domain}`

type Signing = {
  domain: string
  /** Fields that are signed, with colons between. */
  fields?: string
  /** Octets of the body that are signed; all of them if absent. */
  bodyLength?: number
  selector?: string
  at?: Date
}

export async function signed(
  message: string,
  { domain, fields = 'from:to:subject:mime-version:content-type', bodyLength, selector = SELECTOR, at }: Signing,
): Promise<string> {
  const signature = {
    signingDomain: domain,
    selector,
    privateKey,
    headerList: fields,
    ...(at !== undefined && { signTime: at }),
    ...(bodyLength !== undefined && { maxBodyLength: bodyLength }),
  }
  const { signatures } = await dkimSign(message, { ...signature, signatureData: [signature] })
  return `${signatures}${message}`
}
