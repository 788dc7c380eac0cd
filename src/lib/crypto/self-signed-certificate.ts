// A certificate that no one vouches for. Mail servers encrypt with any certificate (RFC 7435), and few check who signed it.
import { randomBytes } from 'node:crypto'
import { Integer, Utf8String } from 'asn1js'
import { AltName, AttributeTypeAndValue, Certificate, Extension, GeneralName, Time } from 'pkijs'
import { DAY_MS } from '../clock.ts'

const YEAR_MS = 365 * DAY_MS
/** A process makes a new one at each start. */
const VALID_YEARS = 10
/** The clocks of other servers may be slow. */
const VALID_BEFORE_MS = DAY_MS
const COMMON_NAME = '2.5.4.3'
const SUBJECT_ALTERNATIVE_NAME = '2.5.29.17'
const DNS_NAME = 2
const UTC_TIME = 0
/** With the first byte, which keeps it positive: 20 bytes at most (RFC 5280, section 4.1.2.2). */
const SERIAL_BYTES = 15

/** A new key pair and its certificate, in PEM form. */
export async function createSelfSignedCertificate(host: string, now: Date): Promise<{ cert: string; key: string }> {
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify'])
  const certificate = new Certificate({
    version: 2,
    serialNumber: new Integer({ valueHex: Uint8Array.from([1, ...randomBytes(SERIAL_BYTES)]).buffer }),
    notBefore: inSeconds(now.getTime() - VALID_BEFORE_MS),
    notAfter: inSeconds(now.getTime() + VALID_YEARS * YEAR_MS),
    extensions: [
      new Extension({
        extnID: SUBJECT_ALTERNATIVE_NAME,
        critical: false,
        extnValue: new AltName({ altNames: [new GeneralName({ type: DNS_NAME, value: host })] }).toSchema().toBER(false),
      }),
    ],
  })
  for (const name of [certificate.issuer, certificate.subject])
    name.typesAndValues.push(new AttributeTypeAndValue({ type: COMMON_NAME, value: new Utf8String({ value: host }) }))
  await certificate.subjectPublicKeyInfo.importKey(pair.publicKey)
  await certificate.sign(pair.privateKey, 'SHA-256')
  return {
    cert: pem('CERTIFICATE', certificate.toSchema(true).toBER(false)),
    key: pem('PRIVATE KEY', await crypto.subtle.exportKey('pkcs8', pair.privateKey)),
  }
}

/** Fractions of a second are not allowed (RFC 5280, section 4.1.2.5). */
const inSeconds = (ms: number): Time => new Time({ type: UTC_TIME, value: new Date(Math.floor(ms / 1_000) * 1_000) })

function pem(label: string, der: ArrayBuffer): string {
  const lines = Buffer.from(der)
    .toString('base64')
    .match(/.{1,64}/g)
  return [`-----BEGIN ${label}-----`, ...(lines ?? []), `-----END ${label}-----`, ''].join('\n')
}
