import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openCertificateFiles } from '../../../../src/io/files/certificate-files.ts'
import { createSelfSignedCertificate } from '../../../../src/lib/crypto/self-signed-certificate.ts'
import { until } from '../../../support/clocks/until.ts'
import { type InboundService, MAIL_HOSTNAME, startInboundService } from '../../../support/servers/mail-services.ts'
import { shared } from '../../../support/servers/service.ts'

const VARIABLES = { cert: 'INBOUND_TLS_CERT', key: 'INBOUND_TLS_KEY' }

let folder: string
let certFile: string
let keyFile: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'posthaste-test-certificate-'))
  certFile = join(folder, 'cert.pem')
  keyFile = join(folder, 'key.pem')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const certificateOf = (host: string) => createSelfSignedCertificate(host, new Date())

describe('the SMTP server after STARTTLS', () => {
  const service = shared(() => startInboundService())

  it('takes messages with a certificate of its own for MAIL_HOSTNAME, and stores that they came by TLS', async () => {
    const client = await service.connect()
    await client.reply()
    await client.say('EHLO mx.example.net')
    await client.say('STARTTLS')
    const certificate = new X509Certificate(await client.upgrade())

    expect(certificate).toMatchObject({ subject: `CN=${MAIL_HOSTNAME}`, subjectAltName: `DNS:${MAIL_HOSTNAME}` })
    expect(certificate.verify(certificate.publicKey)).toBe(true)
    expect(await client.sendMessage(`postmaster@${MAIL_HOSTNAME}`, 'Subject: a\r\n\r\n')).toMatch(/^250 /)
    expect(await service.stored()).toMatchObject([{ tls: 'TLSv1.3' }])
  })

  it('offers it no second time, and wants the session to begin anew', async () => {
    const client = await service.connect()
    await client.reply()
    await client.say('EHLO mx.example.net')
    await client.say('STARTTLS')
    await client.upgrade()

    expect(await client.say('MAIL FROM:<>')).toBe('503 5.5.1 Error: send HELO/EHLO first')
    expect(await client.say('EHLO mx.example.net')).not.toContain('STARTTLS')
    expect(await client.say('STARTTLS')).toBe('503 5.5.1 Error: TLS already active')
  })
})

describe('the files of a certificate', () => {
  const write = ({ cert, key }: { cert: string; key: string }) => {
    writeFileSync(keyFile, key)
    writeFileSync(certFile, cert)
  }

  it('are read again when they change, and only once they fit together', async () => {
    const [first, second] = await Promise.all([certificateOf('one.example.com'), certificateOf('two.example.com')])
    write(first)
    const problems: unknown[] = []
    const changes: string[] = []
    const files = await openCertificateFiles({
      certFile,
      keyFile,
      variables: VARIABLES,
      onProblem: (error) => problems.push(error),
      checkEveryMs: 5,
    })
    files.follow(({ cert }) => changes.push(cert))
    try {
      expect(files.current()).toEqual(first)

      writeFileSync(certFile, second.cert)
      await until(() => expect(problems).toHaveLength(1))
      expect(files.current()).toEqual(first)

      writeFileSync(keyFile, second.key)
      await until(() => expect(changes).toEqual([second.cert]))
      expect(files.current()).toEqual(second)
      expect(problems).toHaveLength(1)
    } finally {
      await files.stop()
    }
  })

  it.each([
    ['are missing', () => rmSync(keyFile, { force: true }), /\(ENOENT .*key\.pem\)/],
    [
      'do not fit together',
      async () => writeFileSync(keyFile, (await certificateOf('other.example.com')).key),
      /\(.*key values mismatch\)/,
    ],
    ['hold something else', () => writeFileSync(certFile, 'a certificate'), /\(.+\)/],
  ])('end the start with one line if they %s', async (_what, spoil, reason) => {
    write(await certificateOf('one.example.com'))
    await spoil()
    const opening = openCertificateFiles({ certFile, keyFile, variables: VARIABLES, onProblem: () => {} })
    await expect(opening).rejects.toMatchObject({ name: 'StartupProblem', message: expect.stringMatching(reason) })
    await expect(opening).rejects.toThrow(
      'INBOUND_TLS_CERT and INBOUND_TLS_KEY must name a certificate and its key, in PEM form, that this user may read',
    )
  })

  it('are what the server uses, from the next connection on', async () => {
    const [first, second] = await Promise.all([certificateOf('one.example.com'), certificateOf('two.example.com')])
    write(first)
    const service = await startInboundService({ environment: { INBOUND_TLS_CERT: certFile, INBOUND_TLS_KEY: keyFile } })
    try {
      expect(await shownTo(service)).toBe('CN=one.example.com')
      write(second)
      await until(async () => expect(await shownTo(service)).toBe('CN=two.example.com'), { interval: 200 })
    } finally {
      await service.close()
    }
  })

  async function shownTo(service: InboundService): Promise<string> {
    const client = await service.connect()
    await client.reply()
    await client.say('EHLO mx.example.net')
    await client.say('STARTTLS')
    const { subject } = new X509Certificate(await client.upgrade())
    client.close()
    return subject
  }
})
