// The certificate that programs see where they submit mail.
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSelfSignedCertificate } from '../../../src/lib/crypto/self-signed-certificate.ts'
import { openSmtpClient } from '../../support/clients/smtp-client.ts'
import { startSubmissionService } from '../../support/servers/mail-services.ts'
import { shared } from '../../support/servers/service.ts'

const folder = mkdtempSync(join(tmpdir(), 'posthaste-test-submission-tls-'))
const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
beforeAll(async () => {
  await writeCertificateOf('one.example.com')
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})
const service = shared(() => startSubmissionService({ environment: { INBOUND_TLS_CERT: certFile, INBOUND_TLS_KEY: keyFile } }))

it('is read again on both ports when its files change, while sessions that are open go on', async () => {
  expect(await shown()).toEqual(['CN=one.example.com', 'CN=one.example.com'])
  const open = await service.connect()
  await open.say('STARTTLS')
  await open.upgrade()

  await writeCertificateOf('two.example.com')
  await expect.poll(shown, { interval: 200 }).toEqual(['CN=two.example.com', 'CN=two.example.com'])

  expect(await open.say('EHLO client.example.net')).toMatch(/^250-/)
})

async function writeCertificateOf(host: string): Promise<void> {
  const { cert, key } = await createSelfSignedCertificate(host, new Date())
  writeFileSync(keyFile, key)
  writeFileSync(certFile, cert)
}

/** After STARTTLS, and over TLS from the first byte. */
const shown = () => Promise.all([shownOn(service.port, ['EHLO client.example.net', 'STARTTLS']), shownOn(service.tlsPort, [])])

async function shownOn(port: number, commands: string[]): Promise<string> {
  const client = await openSmtpClient(port)
  try {
    if (commands.length > 0) await client.reply()
    for (const command of commands) await client.say(command)
    return new X509Certificate(await client.upgrade()).subject
  } finally {
    client.close()
  }
}
