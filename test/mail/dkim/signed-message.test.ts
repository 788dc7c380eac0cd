import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { authenticate } from 'mailauth'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { describe, expect, it } from 'vitest'
import { createBodyHashes } from '../../../src/mail/dkim/body-hash.ts'
import type { DkimSigner } from '../../../src/mail/dkim/signature-fields.ts'
import { composeSignedMessage } from '../../../src/mail/dkim/signed-message.ts'
import { composeMessage, type MimeMessage } from '../../../src/mail/mime-build.ts'
import { createTestSigners, resolverOf } from '../../support/builders/domains.ts'
import { attachment, CORPUS, largeAttachment, MINIMAL } from './corpus.ts'

const { rsa, ed25519, both, records } = createTestSigners()
const resolver = resolverOf(records)

const signed = (change: Partial<MimeMessage>, signers: readonly DkimSigner[] = both) =>
  composeSignedMessage({ ...MINIMAL, ...change }, { signers, bodyKey: 'body', bodyHashes: createBodyHashes() })
const bytesOf = async (message: Buffer | Readable) => (Buffer.isBuffer(message) ? message : buffer(message))

async function resultsOf(message: Buffer | Readable | string) {
  const { results } = await dkimVerify(message, { resolver })
  return results.map(({ status, algo, signingDomain, selector }) => [status.result, algo, signingDomain, selector])
}
const PASS = [
  ['pass', 'rsa-sha256', 'example.com', 'ph1'],
  ['pass', 'ed25519-sha256', 'example.com', 'ph2'],
]

describe('a signed message', () => {
  it.each(CORPUS)('of %s is verified for both algorithms', async (_what, change) => {
    expect(await resultsOf(await bytesOf(await signed(change)))).toEqual(PASS)
  })

  it('of 40 MB is verified for both algorithms as it passes', async () => {
    const message = await signed({ attachments: [largeAttachment()] })
    expect(await resultsOf(message)).toEqual(PASS)
  })

  it('of any bodies and headers is verified for both algorithms', async () => {
    const text = fc.string({
      unit: fc.constantFrom(
        ...['a', 'é', '🎉', '\n', '\r\n', ' ', '\t', '.', '=', '-', 'From ', '\u00a0', 'word '.repeat(30), 'x'.repeat(400)],
      ),
      maxLength: 40,
    })
    const name = fc.constantFrom('References', 'X-Tag', 'List-Unsubscribe', 'List-Unsubscribe-Post', 'Feedback-ID', 'Auto-Submitted')
    const message = fc.record({
      subject: text,
      text: fc.option(text),
      html: fc.option(text),
      from: fc.record({ name: fc.option(text), address: fc.constant('from@example.com') }),
      headers: fc.array(fc.record({ name, value: text }), { maxLength: 4 }),
      attachments: fc.array(
        text.map((content) => attachment(content)),
        { maxLength: 2 },
      ),
    })
    await fc.assert(
      fc.asyncProperty(message, async (change) => {
        expect(await resultsOf(await bytesOf(await signed(change)))).toEqual(PASS)
      }),
      { numRuns: 200 },
    )
  })

  it.each(CORPUS)('of %s is the message as it is without signatures, after them', async (_what, change) => {
    const unsigned = await bytesOf(await composeMessage({ ...MINIMAL, ...change }))
    expect(await bytesOf(await signed(change, []))).toEqual(unsigned)

    const message = await bytesOf(await signed(change))
    expect(message.subarray(-unsigned.length)).toEqual(unsigned)
    const fields = message.subarray(0, -unsigned.length).toString()
    expect(fields.match(/^DKIM-Signature: /gm)).toHaveLength(2)
    expect(fields).toMatch(/^(?:[\x20-\x7e]{1,76}\r\n)+$/)
  })

  it('has a signature in the form that was decided', async () => {
    const message = (await bytesOf(await signed({}, [rsa]))).toString()
    expect(message.slice(0, message.indexOf('\r\nSubject:')).replaceAll(/\r\n /g, ' ')).toMatch(
      new RegExp(
        [
          String.raw`^DKIM-Signature: v=1; a=rsa-sha256; c=relaxed\/relaxed; d=example\.com; s=ph1; t=1772600767;`,
          'h=From:From:To:To:Cc:Subject:Subject:Date:Date:Reply-To :Message-ID:Message-ID:MIME-Version:MIME-Version:Content-Type:Content-Type',
          ':List-Unsubscribe:List-Unsubscribe-Post:Content-Transfer-Encoding;',
          String.raw`bh=[\w/+]{43}=; b=[\w/+ ]+={0,2}$`,
        ].join(' '),
      ),
    )
  })

  it('is the same each time that it is composed', async () => {
    const change = { attachments: [attachment('content')] }
    expect(await bytesOf(await signed(change))).toEqual(await bytesOf(await signed(change)))
  })

  it('has one signature if the domain has one key', async () => {
    expect(await resultsOf(await bytesOf(await signed({}, [rsa])))).toEqual([PASS[0]])
    expect(await resultsOf(await bytesOf(await signed({}, [ed25519])))).toEqual([PASS[1]])
  })
})

describe('a message that was changed on the way', () => {
  const original: Partial<MimeMessage> = {
    text: 'Pay 10 to account 1',
    cc: [{ name: null, address: 'cc@example.org' }],
    replyTo: [{ name: null, address: 'reply@example.com' }],
    headers: [
      { name: 'List-Unsubscribe', value: '<https://example.com/u>' },
      { name: 'List-Unsubscribe-Post', value: 'List-Unsubscribe=One-Click' },
      { name: 'References', value: '<a@example.com>' },
    ],
  }
  const text = async () => (await bytesOf(await signed(original))).toString()
  const verdicts = async (message: string) => (await resultsOf(message)).map(([result]) => result)

  it.each(['Pay 10', 'account 1'])('in its body (%s) is not verified', async (found) => {
    expect(await verdicts((await text()).replace(found, `${found}0`))).toEqual(['neutral', 'neutral'])
  })

  it('by a line at its end is not verified', async () => {
    expect(await verdicts(`${await text()}Buy here\r\n`)).toEqual(['neutral', 'neutral'])
  })

  const SIGNED = ['From', 'To', 'Cc', 'Subject', 'Date', 'Reply-To', 'Message-ID', 'MIME-Version', 'Content-Type']
  const LISTS = ['List-Unsubscribe', 'List-Unsubscribe-Post']

  it.each([...SIGNED, ...LISTS, 'References', 'Content-Transfer-Encoding'])('in %s is not verified', async (name) => {
    const changed = (await text()).replace(new RegExp(`^${name}: `, 'm'), `${name}: x`)
    expect(await verdicts(changed)).toEqual(['fail', 'fail'])
  })

  it.each([...SIGNED, ...LISTS, 'References', 'Content-Transfer-Encoding'])('by the removal of %s is not verified', async (name) => {
    const changed = (await text()).replace(new RegExp(`^${name}: .*\r\n(?:[ \t].*\r\n)*`, 'm'), '')
    // Without `From` a message is not judged at all.
    expect(await verdicts(changed)).not.toContain('pass')
  })

  it.each([...SIGNED, ...LISTS])('by another %s before or after is not verified', async (name) => {
    const message = await text()
    const added = `${name}: other@example.net\r\n`
    expect(await verdicts(added + message)).not.toContain('pass')
    expect(await verdicts(message.replace('\r\n\r\n', `\r\n${added}\r\n`))).not.toContain('pass')
  })

  it.each([...SIGNED, ...LISTS])('by the first %s of a message without one is not verified', async (name) => {
    const { headers: _headers, cc: _cc, replyTo: _replyTo, ...plain } = original
    const message = (await bytesOf(await signed(plain))).toString()
    expect(await verdicts(`${name}: other@example.net\r\n${message}`)).not.toContain('pass')
  })

  it('in the spaces and folds alone is verified', async () => {
    const refolded = (await text()).replace('Subject: Hello', 'subject:\r\n\tHello  ').replace('Pay 10 to', 'Pay  10\tto  ')
    expect(await verdicts(`${refolded}\r\n\r\n`)).toEqual(['pass', 'pass'])
  })
})

describe('DMARC', () => {
  const judge = async (domain: string, from: string) => {
    const others = createTestSigners(domain)
    const message = await signed({ from: { name: null, address: from } }, others.both)
    const { dkim, dmarc } = await authenticate(await bytesOf(message), {
      trustReceived: false,
      ip: '192.0.2.1',
      helo: 'mail.example.net',
      sender: 'bounce@example.net',
      resolver: resolverOf({ ...others.records, '_dmarc.example.com': 'v=DMARC1; p=reject; adkim=s' }),
    })
    return {
      signatures: dkim.results.map(({ status }) => [status.result, status.aligned]),
      dmarc: dmarc ? dmarc.status.result : null,
    }
  }

  it('passes by the strictest policy, because the signing domain is that of the sender', async () => {
    expect(await judge('example.com', 'from@example.com')).toEqual({
      signatures: [
        ['pass', 'example.com'],
        ['pass', 'example.com'],
      ],
      dmarc: 'pass',
    })
  })

  it('does not pass by the signatures of another domain', async () => {
    expect((await judge('example.net', 'from@example.com')).dmarc).toBe('fail')
  })
})

describe('a message with attachments', () => {
  it('opens nothing before it is read, and again only to send it', async () => {
    const opened: string[] = []
    const watched = attachment('content', {
      open: async () => {
        opened.push('opened')
        return Readable.from([Buffer.from('content')])
      },
    })
    const bodyHashes = createBodyHashes()
    const messages = await Promise.all(
      Array.from({ length: 50 }, () =>
        composeSignedMessage({ ...MINIMAL, attachments: [watched] }, { signers: both, bodyKey: 'email', bodyHashes }),
      ),
    )
    expect(opened).toEqual([])
    // Hashed once for all of them.
    await Promise.all(messages.map(bytesOf))
    expect(opened).toHaveLength(51)
  })

  it('fails if a file cannot be opened, and is whole when it can be opened again', async () => {
    let isThere = false
    const lost = attachment('content', {
      open: async () => {
        if (!isThere) throw new Error('no such blob')
        return Readable.from([Buffer.from('content')])
      },
    })
    const signing = { signers: both, bodyKey: 'email', bodyHashes: createBodyHashes() }
    const message = { ...MINIMAL, attachments: [lost] }
    await expect(composeSignedMessage(message, signing).then(bytesOf)).rejects.toThrow('no such blob')
    isThere = true
    expect(await resultsOf(await bytesOf(await composeSignedMessage(message, signing)))).toEqual(PASS)
  })

  it('closes its files if it is not read to its end', async () => {
    const sources: Readable[] = []
    const watched = attachment('', {
      open: async () => {
        const source = Readable.from(
          (function* () {
            for (let count = 0; count < 100; count += 1) yield Buffer.alloc(64 * 1024)
          })(),
          { objectMode: false },
        )
        sources.push(source)
        return source
      },
    })
    const message = await signed({ attachments: [watched] })
    if (Buffer.isBuffer(message)) throw new Error('A message with attachments is a stream')
    for await (const chunk of message) if (chunk.length > 10_000) break
    await expect.poll(() => sources.map(({ destroyed }) => destroyed)).toEqual([true, true])
  })

  it('of 40 MB is hashed and sent in little memory', async () => {
    setFlagsFromString('--expose-gc')
    const collect: () => void = runInNewContext('gc')
    const held = () => {
      collect()
      const { arrayBuffers, heapUsed } = process.memoryUsage()
      return arrayBuffers + heapUsed
    }
    const samples: number[] = []
    const sample = (bytes: number) => {
      if (bytes % SAMPLED_EVERY_BYTES === 0) samples.push(held())
    }
    const before = held()
    const message = await signed({ attachments: [largeAttachment(sample)] })
    let length = 0
    for await (const chunk of Buffer.isBuffer(message) ? [message] : message) length += chunk.length
    expect(length).toBeGreaterThan(50 * 1024 * 1024)
    // Both times.
    expect(samples).toHaveLength(2 * 10)
    expect(Math.max(...samples) - before).toBeLessThan(HELD_BYTES_MAX)
  })
})

const SAMPLED_EVERY_BYTES = 4 * 1024 * 1024
/** What else the process does takes some. The message has 55. */
const HELD_BYTES_MAX = 40 * 1024 * 1024
