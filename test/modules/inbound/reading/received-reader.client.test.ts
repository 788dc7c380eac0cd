import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type BlobStore, createFileBlobStore } from '../../../../src/io/blobs/blob-store.ts'
import type { ThreadLoss } from '../../../../src/io/threads/reading-thread.ts'
import { createId } from '../../../../src/lib/ids.ts'
import { createReceivedReader, type ReceivedReader } from '../../../../src/modules/inbound/reading/received-reader.ts'
import { keyNameOf, keyRecord, signed } from '../../../support/builders/returned-mail.ts'
import { until } from '../../../support/clocks/until.ts'
import { type DnsServer, startDnsServer } from '../../../support/servers/dns-server.ts'
import { shared } from '../../../support/servers/service.ts'

const ILL_BEHAVED = new URL('../../../support/processes/received-thread-process.ts', import.meta.url)
const ORIGIN = { peer: '192.0.2.1', helo: 'mx.sender.example', mailFrom: 'ada@sender.example' }
const MESSAGE =
  'From: ada@sender.example\r\nTo: b@example.com\r\nSubject: Hi\r\nMIME-Version: 1.0\r\nContent-Type: text/plain\r\n\r\nHello\r\n'
const SPF = { TXT: ['v=spf1 ip4:192.0.2.1 -all'] }
const DMARC = { TXT: ['v=DMARC1; p=reject'] }
const PUBLISHED = { 'sender.example': SPF, '_dmarc.sender.example': DMARC, [keyNameOf('sender.example')]: keyRecord }

let folder: string
let blobs: BlobStore
/** Remembers answers of the DNS, as all do: only for mail under the records that are always the same. */
let reader: ReceivedReader
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'posthaste-received-'))
  blobs = await createFileBlobStore(folder)
})
afterAll(() => rm(folder, { recursive: true }))
const dns = shared(() => startDnsServer({}))
beforeAll(() => {
  reader = createReceivedReader(settings())
})
afterAll(() => reader.close())

const settings = () => ({ blobFolder: folder, bucket: null, dnsServers: [dns.address], mailHostname: 'mail.example.com' })

function createReader(): ReceivedReader {
  const reader = createReceivedReader(settings())
  onTestFinished(() => reader.close())
  return reader
}

async function read(reader: ReceivedReader, message: string, origin = ORIGIN) {
  const blobKey = createId()
  await blobs.put(blobKey, Buffer.from(message))
  const result = await reader.read({ blobKey, bytes: Buffer.byteLength(message), ...origin })
  if (result === 'missing' || result === 'overdue') throw new Error(`It is ${result}`)
  return { from: result.content.from, text: result.content.text && Buffer.from(result.content.text).toString(), verdicts: result.verdicts }
}

/** Reads mail while everything is published. */
function readPublished(message: string, origin = ORIGIN) {
  setZone(PUBLISHED)
  return read(reader, message, origin)
}

async function verdictsOf(reading: ReturnType<typeof read>) {
  const { text, verdicts } = await reading
  expect(text).toBe('Hello\n')
  return verdicts
}
const verdictsOn = (message: string, reader = createReader()) => verdictsOf(read(reader, message))
const verdictsOnPublished = (message: string, origin = ORIGIN) => verdictsOf(readPublished(message, origin))

describe('the verdicts on a message', () => {
  it('pass if it comes from the servers of its sender, with a signature of the domain', async () => {
    expect(await verdictsOnPublished(await signed(MESSAGE, { domain: 'sender.example' }))).toEqual({
      ...{ spf: 'pass', dkim: 'pass', dmarc: 'pass', arc: 'gray' },
    })
  })

  it('fail if it comes from elsewhere, and was changed', async () => {
    const changed = (await signed(MESSAGE, { domain: 'sender.example' })).replace('Subject: Hi', 'Subject: Ho')
    expect(await verdictsOnPublished(changed, { ...ORIGIN, peer: '198.51.100.1' })).toEqual({
      ...{ spf: 'fail', dkim: 'fail', dmarc: 'fail', arc: 'gray' },
    })
  })

  it('are gray if its sender publishes nothing, and if someone else has signed it', async () => {
    setZone({ [keyNameOf('other.example')]: keyRecord })
    expect(await verdictsOn(await signed(MESSAGE, { domain: 'other.example' }))).toEqual({
      ...{ spf: 'gray', dkim: 'gray', dmarc: 'gray', arc: 'gray' },
    })
  })

  it('are gray if its sender asks for nothing', async () => {
    setZone({ 'sender.example': { TXT: ['v=spf1 ~all'] }, '_dmarc.sender.example': { TXT: ['v=DMARC1; p=none'] } })
    expect(await verdictsOn(MESSAGE)).toEqual({ spf: 'gray', dkim: 'gray', dmarc: 'gray', arc: 'gray' })
  })

  it('are unknown if what is published is not valid', async () => {
    setZone({ 'sender.example': { TXT: ['v=spf1 nonsense:x -all'] } })
    expect(await verdictsOn(MESSAGE)).toMatchObject({ spf: 'unknown' })
  })

  it('say that the DNS has failed', async () => {
    const failing = { fault: 'SERVFAIL' } as const
    setZone({ 'sender.example': failing, '_dmarc.sender.example': failing, [keyNameOf('sender.example')]: failing })
    expect(await verdictsOn(await signed(MESSAGE, { domain: 'sender.example' }))).toMatchObject({
      ...{ spf: 'processing_failed', dkim: 'processing_failed', dmarc: 'processing_failed' },
    })
  })

  it('hold up no message for longer than ten seconds if the DNS is silent', async () => {
    const silent = { fault: 'silence' } as const
    setZone({ 'sender.example': silent, '_dmarc.sender.example': silent, [keyNameOf('sender.example')]: silent })
    const reader = createReader()
    const startedAtMs = performance.now()
    const verdicts = await verdictsOn(await signed(MESSAGE, { domain: 'sender.example' }), reader)
    expect(verdicts).toMatchObject({ spf: 'processing_failed', dkim: 'processing_failed', dmarc: 'processing_failed' })
    expect(performance.now() - startedAtMs).toBeLessThan(15_000)
    // The others of the sender do not wait for it again.
    const others = await Promise.all(Array.from({ length: 20 }, () => read(reader, MESSAGE)))
    expect(others).toEqual(Array(20).fill(expect.objectContaining({ verdicts: expect.objectContaining({ spf: 'processing_failed' }) })))
    expect(performance.now() - startedAtMs).toBeLessThan(18_000)
  })

  it('say nothing of ARC if the message has more than ten sets, whose keys are not looked up', async () => {
    const sets = Array.from({ length: 11 }, (_, index) => arcSet(index + 1, `d${index}.example`)).join('')
    dns.queries.length = 0
    expect(await verdictsOnPublished(`${sets}${await signed(MESSAGE, { domain: 'sender.example' })}`)).toEqual({
      ...{ spf: 'pass', dkim: 'pass', dmarc: 'pass', arc: 'unknown' },
    })
    expect(dns.queries.filter((query) => /d[0-9]\.example/.test(query))).toEqual([])
  })

  it.each([
    ['in a line that no one takes for one of a sender', 'X: y\r\nFrom\v: ceo@bank.example', 'ada@sender.example', 'pass'],
    ['in another line', 'From: ceo@bank.example', 'ceo@bank.example', 'fail'],
    ['in a line that is folded before its colon', 'From\r\n : ceo@bank.example', 'ada@sender.example', 'fail'],
  ])('are those on the sender who is shown if another is named too, %s', async (_where, line, from, dmarc) => {
    const { from: shown, verdicts } = await readPublished(`${line}\r\n${await signed(MESSAGE, { domain: 'sender.example' })}`)
    expect({ from: shown, dmarc: verdicts.dmarc }).toEqual({ from, dmarc })
  })

  it('are those on the sender who is named after a line of white space, which ends no header', async () => {
    const message = `X: y\r\n \r\n${await signed(MESSAGE, { domain: 'sender.example' })}`
    const { from, verdicts } = await readPublished(message, { ...ORIGIN, mailFrom: 'ceo@bank.example' })
    expect({ from, ...verdicts }).toMatchObject({ from: 'ada@sender.example', dkim: 'pass', dmarc: 'pass' })
  })

  it('fail if several senders are named', async () => {
    setZone({ 'sender.example': SPF, '_dmarc.sender.example': DMARC })
    const message = MESSAGE.replace('ada@sender.example', 'ceo@bank.example, ada@sender.example')
    expect(await verdictsOn(message)).toMatchObject({ dmarc: 'fail' })
  })

  describe('of a message that comes from elsewhere', () => {
    const elsewhere = { ...ORIGIN, peer: '198.51.100.1' }

    it('pass by a signature that covers all of it', async () => {
      const message = await signed(MESSAGE, { domain: 'sender.example', bodyLength: Buffer.byteLength('Hello\r\n') })
      expect(await verdictsOnPublished(message, elsewhere)).toMatchObject({ spf: 'fail', dkim: 'pass', dmarc: 'pass' })
    })

    it.each([0, 5])('do not pass by a signature that covers %i octets of the body, to which a part was added', async (bodyLength) => {
      const message = `${await signed(MESSAGE, { domain: 'sender.example', bodyLength })}Pay to DE00\r\n`
      const { text, verdicts } = await readPublished(message, elsewhere)
      expect(text).toBe('Hello\nPay to DE00\n')
      expect(verdicts).toMatchObject({ spf: 'fail', dkim: 'gray', dmarc: 'gray' })
    })

    it.each([
      ['Subject: Pay to DE00'],
      ['Content-Type: text/html'],
      ['To: you@example.com'],
      ['Subject\r\n : Pay to DE00'],
      // Read as a field by those who take the message apart, and as a part of the line above by those who judge it.
      ['X: y\r\nContent-Type\v: text/html'],
    ])('do not pass by a signature if a field is there twice: %j', async (line) => {
      const message = `${line}\r\n${await signed(MESSAGE, { domain: 'sender.example' })}`
      const { verdicts } = await readPublished(message, elsewhere)
      expect(verdicts).toMatchObject({ spf: 'fail', dkim: 'gray', dmarc: 'gray' })
    })

    it('pass by a signature that covers all of it beside one that covers a part', async () => {
      const message = await signed(await signed(MESSAGE, { domain: 'sender.example' }), { domain: 'sender.example', bodyLength: 0 })
      expect(await verdictsOnPublished(message, elsewhere)).toMatchObject({ dkim: 'pass', dmarc: 'pass' })
    })
  })

  it('pass DMARC for the servers of its sender, whatever its signature covers', async () => {
    expect(await verdictsOnPublished(await signed(MESSAGE, { domain: 'sender.example', bodyLength: 0 }))).toMatchObject({
      ...{ spf: 'pass', dkim: 'gray', dmarc: 'pass' },
    })
  })

  const UNKNOWN = { spf: 'unknown', dkim: 'unknown', dmarc: 'unknown', arc: 'unknown' }
  it.each([
    ['of thousands of lines', 'X: y\r\n'.repeat(2_001)],
    ['of 64 KB', `X: ${'y'.repeat(66_000)}\r\n`],
    ['of eleven signatures', 'DKIM-Signature: v=1\r\n'.repeat(11)],
  ])('are not looked for in a head %s', async (_what, lines) => {
    expect(await verdictsOnPublished(`${lines}${MESSAGE}`)).toEqual(UNKNOWN)
  })

  it('are not looked for in a head that is too long to be read', async () => {
    const { verdicts } = await readPublished(`X: y\r\n${' a\r\n'.repeat(300_000)}${MESSAGE}`)
    expect(verdicts).toEqual(UNKNOWN)
  })

  it('take little memory, whatever the signatures cover', async () => {
    const before = process.memoryUsage.rss()
    const signature = `DKIM-Signature: v=1; a=rsa-sha256; d=a.example; s=b; bh=x; b=x; h=${'x:'.repeat(200)}\r\n`
    await verdictsOn(`X: ${'y'.repeat(200_000)}\r\n${'x: y\r\n'.repeat(200)}${signature.repeat(1_700)}${MESSAGE}`)
    expect(process.memoryUsage.rss() - before).toBeLessThan(300 * 1024 * 1024)
  })
})

describe('the thread that reads received messages', () => {
  let reader: ReceivedReader
  afterEach(() => reader.close())
  const read = (blobKey: string) => reader.read({ blobKey, bytes: 100, ...ORIGIN })
  const losses: ThreadLoss[] = []
  const onLoss = (loss: ThreadLoss) => void losses.push(loss)
  beforeEach(() => losses.splice(0))

  it('says that a message is missing', async () => {
    reader = createReceivedReader(settings())
    expect(await read(createId())).toBe('missing')
  })

  it('is replaced when a message holds it up: that one, and those beside it, are read again later', async () => {
    reader = createReceivedReader(settings(), { file: ILL_BEHAVED, deadlineMs: 6_000, onLoss })
    expect(await Promise.all([read('never ends'), read('beside')])).toEqual(['overdue', 'overdue'])
    expect(losses).toEqual([{ reason: 'overdue', error: null, workedOn: 'never ends', messages: 2 }])
    // A busy machine may be late with this one, too.
    await until(async () => expect(await read('next')).toBe('missing'))
  })

  it('is not replaced while it reads one message after the other, each in time', async () => {
    reader = createReceivedReader(settings(), { file: ILL_BEHAVED, deadlineMs: 11_000, onLoss })
    expect(await Promise.all([read('busy'), read('busy, too'), read('honest')])).toEqual(['missing', 'missing', 'missing'])
    expect(losses).toEqual([])
  })

  it('ends after a large message where those have a thread of their own, which is no loss, and the next begins another', async () => {
    reader = createReceivedReader(settings(), { file: ILL_BEHAVED, aloneBytesMin: 100, onLoss })
    const threads = () => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length
    const before = threads()
    expect([await read('large'), threads()]).toEqual(['missing', before])
    expect(await read('large, too')).toBe('missing')
    expect(losses).toEqual([])
  })

  it('reads others while one that is suspected holds up another thread', async () => {
    reader = createReceivedReader(settings(), { file: ILL_BEHAVED, deadlineMs: 15_000 })
    const suspect = reader.read({ blobKey: 'never ends', bytes: 100, ...ORIGIN }, { isAlone: true })
    expect(await read('beside')).toBe('missing')
    expect(await suspect).toBe('overdue')
  })

  it('says that a message was not read through no fault of its own', async () => {
    reader = createReceivedReader(settings(), { file: ILL_BEHAVED })
    await expect(read('is not stored')).rejects.toMatchObject({ kind: 'unavailable' })
  })

  it('is replaced when it dies', async () => {
    reader = createReceivedReader(settings(), { file: ILL_BEHAVED, deadlineMs: 60_000, onLoss })
    expect(await read('dies')).toBe('overdue')
    expect(await read('throws')).toBe('overdue')
    expect(await read('next')).toBe('missing')
    expect(losses).toEqual([
      { reason: 'died', error: null, workedOn: 'dies', messages: 1 },
      { reason: 'died', error: expect.objectContaining({ message: 'thrown' }), workedOn: 'throws', messages: 1 },
    ])
  })

  it('tells of faults, and reads the next', async () => {
    reader = createReceivedReader(settings(), { file: ILL_BEHAVED })
    await expect(read('fails')).rejects.toThrow('failed')
    expect(await read('next')).toBe('missing')
  })

  it('that cannot be started is tried again with the next message', async () => {
    reader = createReceivedReader(settings(), { file: new URL('./nothing-is-here.ts', import.meta.url) })
    await expect(read('one')).rejects.toThrow(/nothing-is-here/)
    await expect(read('two')).rejects.toThrow(/nothing-is-here/)
  })

  it('ends with the service, whatever it does', async () => {
    reader = createReceivedReader(settings(), { file: ILL_BEHAVED, deadlineMs: 60_000 })
    await read('first')
    const reading = read('never ends').catch((error) => String(error))
    await reader.close()
    expect(await reading).toMatch(/ended/)
    await expect(read('more')).rejects.toThrow('has been ended')
  })
})

const arcSet = (instance: number, domain: string): string =>
  [
    `ARC-Seal: i=${instance}; a=rsa-sha256; t=1; cv=${instance === 1 ? 'none' : 'pass'}; d=${domain}; s=s; b=AAAA`,
    `ARC-Message-Signature: i=${instance}; a=rsa-sha256; c=relaxed/relaxed; d=${domain}; s=s; h=from; bh=AAAA; b=AAAA`,
    `ARC-Authentication-Results: i=${instance}; mx.example; spf=pass`,
    '',
  ].join('\r\n')

function setZone(zone: DnsServer['zone']): void {
  for (const name of Object.keys(dns.zone)) delete dns.zone[name]
  Object.assign(dns.zone, zone)
}
