// Letters to many: two that were sent, one that was paused while it was sent, one for the day after tomorrow, and a draft.
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/lib/clock.ts'
import { doDue } from '../builders/broadcasts.ts'
import { moveTo, returnToPresent } from './past.ts'
import { type Delivered, deliverDue, leave, readMail } from './post-office.ts'
import { act, ago, type Team } from './team.ts'
import { SHOP } from './words.ts'

type Letter = { name: string; subject: string; preview: string; paragraphs: string[]; button: string; path: string }

const LINKS = ['/shop/spring', '/journal/marsh-glaze', '/workshops'].map((path) => `${SHOP.site}${path}`)

const letter = ({ subject, preview, paragraphs, button, path }: Letter) => ({
  subject,
  preview_text: preview,
  html: `<!doctype html><html><body style="margin:0;background:#f4f1ea;font-family:Georgia,serif;color:#2d3a33"><div style="max-width:600px;margin:0 auto;background:#fff;padding:40px">
<p style="color:#3f6b57;font-size:22px;margin:0 0 24px">Larkspur &amp; Pine</p>
<h1 style="font-size:30px;line-height:1.25">${subject}</h1>
<p>Dear {{{contact.first_name|reader}}},</p>
${paragraphs.map((paragraph) => `<p style="font-size:17px;line-height:1.6">${paragraph}</p>`).join('\n')}
<p><a href="${SHOP.site}${path}" style="display:inline-block;background:#3f6b57;color:#fff;padding:14px 26px;border-radius:4px;text-decoration:none">${button}</a></p>
<p style="font-size:15px">Or read <a href="${LINKS[1]}">how the marsh glaze came about</a>, or join us at one of the <a href="${LINKS[2]}">workshops in Bristol</a>.</p>
<hr style="border:none;border-top:1px solid #ddd"><p style="font-size:13px;color:#6b756f">You get this letter because you bought something from us or asked for it. <a href="{{{UNSUBSCRIBE_URL}}}">Unsubscribe</a></p>
</div></body></html>`,
})

const SUMMER: Letter = {
  name: 'Summer letter',
  subject: 'Cold brew, and other good ideas for July',
  preview: 'Three teas that like ice, and a jug that we are proud of.',
  paragraphs: ['It is warm in the workshop. We have been drinking these three over ice, and we think that you might like them too.'],
  button: 'See the summer teas',
  path: '/shop/summer',
}
const AUTUMN: Letter = {
  name: 'Autumn letter: new harvests',
  subject: 'The new harvests are here',
  preview: 'Darjeeling, genmaicha, and a pot in a new shape.',
  paragraphs: [
    'Four chests arrived on Tuesday, and the whole house smells of them.',
    'The second flush is darker this year, with something of apricot in it. We tried it for a week before we agreed.',
  ],
  button: 'Look at the new harvests',
  path: '/shop/spring',
}
const EARLY: Letter = {
  name: 'Early access: the “Marsh” teapot in three glazes (regulars first)',
  subject: 'Before everyone else: the “Marsh” teapot in three new glazes',
  preview: 'For the people who come back.',
  paragraphs: ['You have been with us for a while, so you see these first. There are forty of each.'],
  button: 'Choose a glaze',
  path: '/shop/marsh',
}
const WHOLESALE: Letter = {
  name: 'Wholesale prices from January',
  subject: 'Our wholesale prices from January',
  preview: 'Teas stay as they are, ceramics change a little.',
  paragraphs: ['Here is the list for the coming year. If you order by the box before the end of the month, the old prices hold.'],
  button: 'Open the list',
  path: '/wholesale/prices.pdf',
}
const GIFTS: Letter = {
  name: 'Gift guide',
  subject: 'Small gifts that fit into a letterbox',
  preview: 'Under €20, wrapped by hand.',
  paragraphs: ['We tried which of our things fit through a letterbox. Quite a few do.'],
  button: 'See the gifts',
  path: '/shop/gifts',
}

const BY = 'Hanna Bergström'

export async function fillBroadcasts(team: Team): Promise<void> {
  const write = (
    from: Letter,
    { days, segment, ...more }: { days: number; segment: string; topic_id?: string | undefined; rate_per_hour?: number },
  ) =>
    act(team, ['POST', '/broadcasts'], {
      ...{ time: ago(team, { days }), by: BY },
      body: { name: from.name, segment_id: team.ids[segment], from: SHOP.newsletter, ...letter(from), ...more },
    })
  const summer = await write(SUMMER, { days: 62, segment: 'germany', topic_id: team.ids.news })
  await sendAll(team, summer, { days: 61, openShare: 0.43, clickShare: 0.24, leaving: 2 })
  const autumn = await write(AUTUMN, { days: 9, segment: 'newsletter', topic_id: team.ids.news })
  await sendAll(team, autumn, { days: 8, openShare: 0.47, clickShare: 0.31, leaving: 7 })
  team.ids['broadcast sent'] = autumn
  const early = await write(EARLY, { days: 0.2, segment: 'newsletter', topic_id: team.ids.offers, rate_per_hour: 3_600 })
  await sendSome(team, early)
  team.ids['broadcast paused'] = early
  const wholesale = await write(WHOLESALE, { days: 2, segment: 'wholesale', topic_id: team.ids['wholesale prices'] })
  returnToPresent()
  const dayAfterTomorrow = new Date(Math.ceil(team.now.getTime() / DAY_MS) * DAY_MS + DAY_MS + 9 * HOUR_MS)
  await act(team, ['POST', `/broadcasts/${wholesale}/send`], {
    ...{ time: ago(team, { days: 1 }), by: BY },
    body: { scheduled_at: dayAfterTomorrow.toISOString() },
  })
  team.ids['broadcast scheduled'] = wholesale
  team.ids['broadcast draft'] = await write(GIFTS, { days: 0.1, segment: 'newsletter' })
}

type Success = { days: number; openShare: number; clickShare: number; leaving: number }

async function sendAll(team: Team, id: string, { days, openShare, clickShare, leaving }: Success): Promise<void> {
  const { service } = team
  moveTo(ago(team, { days }))
  await act(team, ['POST', `/broadcasts/${id}/send`], { time: ago(team, { days }), by: BY, body: {} })
  await doDue(service)
  const delivered = await deliverDue(team)
  await doDue(service)
  await readMail(team, delivered, { links: LINKS, openShare, clickShare, hours: 60, until: team.now })
  await leave(team, delivered, { count: leaving, time: ago(team, { days: days - 0.3 }) })
  moveTo(ago(team, { days: days - 0.2 }))
  await doDue(service)
}

/** Some of it went out before someone saw a mistake. */
async function sendSome(team: Team, id: string): Promise<void> {
  const begun = ago(team, { hours: 4 })
  await act(team, ['POST', `/broadcasts/${id}/send`], { time: begun, by: BY, body: {} })
  const delivered: Delivered[] = []
  for (let minute = 0; minute < MINUTES_OF_SOME; minute += 1) {
    moveTo(new Date(begun.getTime() + minute * MINUTE_MS))
    await doDue(team.service)
    delivered.push(...(await deliverDue(team)))
  }
  await act(team, ['POST', `/broadcasts/${id}/pause`], { time: new Date(), by: BY, body: {} })
  await readMail(team, delivered, { links: LINKS, openShare: 0.5, clickShare: 0.2, hours: 6, until: team.now })
}

const MINUTES_OF_SOME = 9
