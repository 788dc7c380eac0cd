import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createId } from '../../../../src/lib/ids.ts'
import { createReceivingDomain } from '../../../support/builders/domains.ts'
import { createMovingClock } from '../../../support/clocks/clocks.ts'
import { startInboundService } from '../../../support/servers/mail-services.ts'
import { shared } from '../../../support/servers/service.ts'

const CONTENT = 'Subject: Hello\r\n\r\nHello'
const NOT_OURS = '550 5.7.1 This server takes no mail for this address'
const STORED = /^250 2\.6\.0 Stored as [0-9a-f-]{36}$/
const MINUTE_MS = 60_000
const LIMITS = { RECEIVED_PER_MINUTE: '5', TEAM_RECEIVED_MB_PER_DAY: '1', INBOUND_DOMAIN: 'in.example.com' }

const clock = createMovingClock()
const service = shared(() => startInboundService({ clock, environment: LIMITS, inboundLimits: { teamsPerMessageMax: 2 } }))
beforeAll(async () => {
  await createReceivingDomain(service, service.teamId, 'one.example')
  await createReceivingDomain(service, service.other.teamId, 'two.example')
})

beforeEach(() => clock.advance(MINUTE_MS + 1))
afterEach(async () => {
  await service.database.execute('truncate received_emails, received_recipients, received_amounts, inbound_messages')
  // What was counted of a day is forgotten with it.
  clock.advance(24 * 60 * MINUTE_MS)
})

it.each(['"a b"@one.example', 'taro..y@one.example', '"taro..y"@ONE.example', '@relay.example:"a@b"@one.example'])(
  'mail to %s is taken, as that to any other',
  async (address) => {
    const { replies, send, leave } = await begin(address)
    expect(replies).toEqual([expect.stringMatching(/^250 /)])
    expect(await send()).toMatch(STORED)
    leave()
  },
)

it.each(['"taro..y"@docomo.example', 'taro.@docomo.example', 'ada@my_shop.example'])(
  'mail from %s is taken, with its size',
  async (address) => {
    const client = await service.connect()
    await client.reply()
    await client.say('EHLO mx.example.net')
    expect(await client.say(`MAIL FROM:<${address}> SIZE=100 BODY=8BITMIME`)).toMatch(/^250 /)
    client.close()
  },
)

it('an address that cannot be read is refused, and so are parameters that cannot', async () => {
  const client = await service.connect()
  await client.reply()
  await client.say('EHLO mx.example.net')
  expect(await client.say('MAIL FROM:<"a b"@x.example> SIZE=1 SIZE=2')).toMatch(/^501 /)
  expect(await client.say('MAIL FROM:<"a b@x.example>')).toMatch(/^501 /)
  expect(await client.say('MAIL FROM:<"a"b@x.example>')).toMatch(/^501 /)
  client.close()
})

type Begun = {
  replies: string[]
  send(content?: string): Promise<string>
  /** The beginning of a message. */
  start(content: string): Promise<void>
  leave(): void
}

/** Names the recipients of a message. */
const begin = (...recipients: string[]): Promise<Begun> => beginFrom(0, ...recipients)

async function beginFrom(network: number, ...recipients: string[]): Promise<Begun> {
  const client = await service.connect({ localAddress: `127.0.${network}.1` })
  await client.reply()
  await client.say('EHLO mx.example.net')
  await client.say('MAIL FROM:<ada@example.org>')
  const replies: string[] = []
  for (const address of recipients) replies.push(await client.say(`RCPT TO:<${address}>`))
  return {
    replies,
    async send(content = CONTENT) {
      await client.say('DATA')
      return client.say(`${content}\r\n.`)
    },
    async start(content) {
      await client.say('DATA')
      client.write(content)
    },
    leave: () => client.close(),
  }
}

const stored = () =>
  service.database.execute<{ team_id: string; rcpt_to: string[]; blob_key: string }>('select * from received_emails order by id')

describe('the SMTP server', () => {
  it('takes mail for every address of a domain that receives, and stores what verdicts need', async () => {
    const { replies, send } = await begin('Anyone+at-all@ONE.example')

    expect([replies, await send()]).toEqual([['250 2.1.5 Accepted'], expect.stringMatching(STORED)])

    expect(await stored()).toEqual([
      {
        ...{ id: expect.any(String), team_id: service.teamId, blob_key: expect.any(String), bytes: CONTENT.length + 2 },
        ...{ mail_from: 'ada@example.org', rcpt_to: ['Anyone+at-all@ONE.example'], peer: '127.0.0.1', helo: 'mx.example.net', tls: null },
        ...{ created_at: clock.now(), state: 'waiting', taken_at: null, tries: 0 },
        ...{
          from: '',
          from_name: null,
          to: [],
          cc: [],
          bcc: [],
          reply_to: [],
          received_for: [],
          subject: null,
          message_id: null,
          headers: {},
        },
        ...{ html: null, text: null, spf: null, dkim: null, dmarc: null, arc: null, problem: null },
        ...{ is_auto_reply: false, in_reply_to_email_id: null, sent_email_id: null, filter: null },
      },
    ])
  })

  it('stores one message for several addresses of a team, and another for each other team', async () => {
    const { send } = await begin('a@one.example', 'b@two.example', 'c@one.example', 'a@one.example')

    expect(await send()).toMatch(STORED)

    const rows = await stored()
    expect(rows.map(({ team_id, rcpt_to }) => ({ team_id, rcpt_to }))).toEqual([
      { team_id: service.teamId, rcpt_to: ['a@one.example', 'c@one.example'] },
      { team_id: service.other.teamId, rcpt_to: ['b@two.example'] },
    ])
    expect(new Set(rows.map(({ blob_key }) => blob_key)).size).toBe(2)
    const { blobs } = service.service.context.gateways
    // Each team has a content of its own.
    await blobs.remove(String(rows[0]?.blob_key))
    expect(await blobs.size(String(rows[1]?.blob_key))).toBe(CONTENT.length + 2)
  })

  it('takes no message in pieces, and none of binary parts, and is of use afterwards', async () => {
    const client = await service.connect()
    await client.reply()
    expect(await client.say('EHLO mx.example.net')).not.toMatch(/CHUNKING|BINARYMIME/)
    expect(await client.say('MAIL FROM:<ada@example.org> BODY=BINARYMIME')).toMatch(/^5\d\d /)
    expect(await client.say('MAIL FROM:<ada@example.org> BODY=8BITMIME')).toMatch(/^250 /)
    expect(await client.say('RCPT TO:<anyone@one.example>')).toMatch(/^250 /)
    expect(await client.say('BDAT 5 LAST')).toMatch(/^5\d\d /)
    expect(await client.sendMessage('anyone@one.example', CONTENT)).toMatch(STORED)
  })

  it('takes one message for a team and a role', async () => {
    const { send } = await begin('a@one.example', 'postmaster@mail.example.com')
    expect(await send()).toMatch(STORED)
    expect((await stored()).map(({ rcpt_to }) => rcpt_to)).toEqual([['a@one.example']])
    expect(await service.stored()).toMatchObject([{ purpose: 'postmaster', content: `${CONTENT}\r\n` }])
  })

  it('takes mail for a team at the domain of the operator', async () => {
    const address = `anything@${service.teamId}.in.example.com`
    const { replies, send } = await begin(address, `a@${crypto.randomUUID()}.in.example.com`, 'a@x.in.example.com')
    expect([replies, await send()]).toEqual([['250 2.1.5 Accepted', NOT_OURS, NOT_OURS], expect.stringMatching(STORED)])
    expect((await stored()).map(({ team_id, rcpt_to }) => ({ team_id, rcpt_to }))).toEqual([
      { team_id: service.teamId, rcpt_to: [address] },
    ])
  })

  it.each([
    ['whose record was not seen', { record: 'pending' }],
    ['whose record has failed', { record: 'failed' }],
    ['that does not receive', { receiving: false }],
    ['that another has verified', { ownsName: false }],
  ])('takes no mail for a domain %s', async (_which, settings) => {
    const name = `d${crypto.randomUUID()}.example`
    await createReceivingDomain(service, service.teamId, name, settings)
    expect((await begin(`a@${name}`)).replies).toEqual([NOT_OURS])
  })

  it('takes mail while a record is missed for a moment', async () => {
    await createReceivingDomain(service, service.teamId, 'missed.example', { record: 'temporary_failure' })
    expect((await begin('a@missed.example')).replies).toEqual(['250 2.1.5 Accepted'])
  })

  it('notices within ten seconds that a team receives no longer', async () => {
    await createReceivingDomain(service, service.teamId, 'ended.example')
    expect((await begin('a@ended.example')).replies).toEqual(['250 2.1.5 Accepted'])
    await service.database.execute(`update domains set receiving = false where name = 'ended.example'`)
    clock.advance(10_001)
    expect((await begin('a@ended.example')).replies).toEqual([NOT_OURS])
  })

  describe('with limits of a team', () => {
    const TEAM_MESSAGES = '452 4.7.0 More messages arrive for this domain than it may receive in a minute, please try again in a minute'
    const NETWORK_MESSAGES =
      '452 4.7.0 Your network has sent this domain as many messages as it accepts from one network in a minute, please try again in a minute'
    const TEAM_BYTES = '452 4.2.2 This domain has received as much as it may in a day, please try again later'
    const NETWORK_BYTES =
      '452 4.2.2 Your network has sent this domain as much data as it accepts from one network in a day, please try again later'
    const ACCEPTED = '250 2.1.5 Accepted'
    const lines = (kilobytes: number) => `Subject: Big\r\n\r\n${`${'y'.repeat(1_022)}\r\n`.repeat(kilobytes)}`

    const asked = async (network: number) => {
      const { replies, leave } = await beginFrom(network, 'a@one.example')
      leave()
      return replies[0]
    }
    const sent = async (network: number, content?: string) => (await beginFrom(network, 'a@one.example')).send(content)

    it('takes as many messages a minute as configured, and leaves some of them to other networks', async () => {
      for (let count = 0; count < 3; count += 1) expect(await sent(1)).toMatch(STORED)
      expect(await asked(1)).toBe(NETWORK_MESSAGES)
      expect(await sent(2)).toMatch(STORED)
      expect(await asked(2)).toBe(NETWORK_MESSAGES)
      expect(await sent(3)).toMatch(STORED)
      expect((await beginFrom(4, 'a@one.example', 'a@two.example')).replies).toEqual([TEAM_MESSAGES, ACCEPTED])
      clock.advance(MINUTE_MS + 1)
      expect(await asked(1)).toBe(ACCEPTED)
    })

    it('counts no message of those who only name recipients', async () => {
      for (let count = 0; count < 10; count += 1) expect(await asked(1)).toBe(ACCEPTED)
      expect(await sent(1)).toMatch(STORED)
    })

    it('counts messages that arrive at once together, and those that never end no longer', async () => {
      const arriving = await Promise.all([1, 1, 1].map((network) => beginFrom(network, 'a@one.example')))
      for (const { start } of arriving) await start('Subject: a\r\n')
      await expect.poll(() => asked(1)).toBe(NETWORK_MESSAGES)
      expect(await asked(2)).toBe(ACCEPTED)
      for (const { leave } of arriving) leave()
      await expect.poll(() => asked(1)).toBe(ACCEPTED)
      expect(await stored()).toEqual([])
    })

    it('refuses for now what is too much once it arrives, and takes what it refused later', async () => {
      const arriving = await Promise.all([1, 1, 1, 1].map((network) => beginFrom(network, 'a@one.example')))
      const replies: string[] = []
      for (const { send } of arriving) replies.push(await send())
      expect(replies).toEqual([...Array(3).fill(expect.stringMatching(STORED)), NETWORK_MESSAGES])
      clock.advance(MINUTE_MS + 1)
      expect(await sent(1)).toMatch(STORED)
    })

    it('takes as many bytes a day as configured', async () => {
      expect(await sent(1, lines(1_100))).toMatch(STORED)
      expect([await asked(1), await asked(2)]).toEqual([TEAM_BYTES, TEAM_BYTES])
      clock.advance(24 * 60 * MINUTE_MS + 1)
      expect(await asked(1)).toBe(ACCEPTED)
    })

    it('refuses mail for now while its team has no room for it', async () => {
      const FULL = '452 4.2.2 This domain has no room for more messages at the moment, please try again later'
      const { teamLimits, teamStorage } = service.service.context.repositories
      await teamLimits.setAcrossTeams(service.teamId, { stored_bytes: 20_000 })
      expect(await sent(1, lines(10))).toMatch(STORED)
      expect(await sent(2, lines(10))).toBe(FULL)
      expect(await sent(2, lines(9))).toMatch(STORED)
      await teamLimits.setAcrossTeams(service.teamId, { stored_bytes: 19_000 })
      expect((await beginFrom(3, 'a@one.example', 'a@two.example')).replies).toEqual([FULL, ACCEPTED])
      const [row] = await service.database.execute<{ bytes: number }>('select sum(bytes)::int as bytes from received_emails')
      expect(await teamStorage.used(service.teamId)).toBe(row?.bytes)
      await teamLimits.setAcrossTeams(service.teamId, { stored_bytes: null })
    })

    it('leaves some bytes of a day to other networks', async () => {
      expect(await sent(1, lines(600))).toMatch(STORED)
      expect([await asked(1), await sent(2)]).toEqual([NETWORK_BYTES, expect.stringMatching(STORED)])
    })

    it('counts bytes that arrive, and no longer those that were not stored', async () => {
      const arriving = await beginFrom(1, 'a@one.example')
      await arriving.start(lines(600))
      await expect.poll(() => asked(1)).toBe(NETWORK_BYTES)
      arriving.leave()
      await expect.poll(() => asked(1)).toBe(ACCEPTED)
    })

    it('counts the bytes that other processes stored, and those of emails that were deleted', async () => {
      expect(await asked(1)).toBe(ACCEPTED)
      const email = {
        teamId: service.teamId,
        mailFrom: '',
        rcptTo: ['a@one.example'],
        peer: '192.0.2.1',
        helo: 'x',
        tls: null,
        filter: null,
      }
      const [id, blobKey] = [createId(clock), createId(clock)]
      const content = { id, blobKey, bytes: 1024 * 1024, createdAt: clock.now() }
      await service.service.context.repositories.inboundMessages.storeAcrossTeams([], [{ ...email, ...content }])
      await service.database.execute('delete from received_emails')
      clock.advance(10_001)
      expect(await asked(1)).toBe(TEAM_BYTES)
    })
  })

  it('asks for fewer teams at a time', async () => {
    await createReceivingDomain(service, (await service.service.context.repositories.teams.create('Third')).id, 'three.example')
    const { replies } = await begin('a@one.example', 'a@two.example', 'a@three.example', 'b@two.example')
    expect(replies).toEqual([
      '250 2.1.5 Accepted',
      '250 2.1.5 Accepted',
      '452 4.5.3 The message is for too many teams of this server, please send it to some of its recipients at a time',
      '250 2.1.5 Accepted',
    ])
  })
})
