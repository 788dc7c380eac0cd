// The HTML of an email as one recipient gets it, with tracked links and an image.
import { setImmediate } from 'node:timers/promises'
import type { PlatformContext } from '../../http/platform.context.ts'
import { isLong } from '../../lib/main-thread.ts'
import { escapeHtml } from '../../mail/html/html-tokens.ts'
import type { MailTracking } from '../domains/domains.context.ts'
import type { OutgoingEmail } from '../emails/outgoing-emails.repository.ts'
import { findTrackablePlaces, findUnsubscribeLinks, type TrackablePlaces, trackedHtml } from './tracked-html.ts'
import type { TrackingContext } from './tracking.context.ts'

type Context = PlatformContext & TrackingContext

type TrackedEmail = Pick<OutgoingEmail, 'id' | 'teamId' | 'html' | 'headers' | 'submitted'>
type Outgoing = { email: TrackedEmail; recipientId: string; tracking: MailTracking }
type Dependencies = Pick<Context, 'config' | 'gateways' | 'publicUrl' | 'trackingTokens'>

/** The paths of tracked links and images at a tracking host. */
const LINK_PATH = '/t/c/'
const IMAGE_PATH = '/t/o/'

/** Links of long HTML that are signed in one turn of the event loop. */
const LINKS_AT_ONCE = 100

/** Null if the email has no HTML, or none that may be changed. Its text is never tracked. */
export async function trackContent(context: Dependencies, { email, recipientId, tracking }: Outgoing): Promise<string | null> {
  const { id: emailId, html, submitted } = email
  if (!html || (submitted !== null && submitted.htmlPart === null)) return null
  const { baseUrl, domainId, opens, clicks } = tracking
  const places = await findPlaces(context, email, html, baseUrl)
  const { hostname } = new URL(baseUrl)
  const urlOf = (path: string, kind: 'open' | 'click' | 'trap', target = ''): string | null => {
    const token = context.trackingTokens.create({ kind, emailId, recipientId, domainId, target }, hostname)
    return token && `${baseUrl}${path}${token}`
  }
  const trap = clicks && context.config.tracking.hasHoneypot ? invisibleLink(urlOf(LINK_PATH, 'trap')) : ''
  const linkTo = (target: string) => (clicks ? urlOf(LINK_PATH, 'click', target) : null)
  const atEnd = `${trap}${opens ? image(urlOf(IMAGE_PATH, 'open')) : ''}`
  if (!isLong(html)) return trackedHtml(html, places, { linkTo, atEnd })
  const links: (string | null)[] = []
  for (const { target } of places.links) {
    if (links.length % LINKS_AT_ONCE === LINKS_AT_ONCE - 1) await setImmediate()
    links.push(linkTo(target))
  }
  return context.gateways.texts.do(email.teamId, { kind: 'trackedHtml', html, places, links, atEnd })
}

/** Read once for all recipients that are served at about the same time. */
const known = new WeakMap<TrackedEmail, Promise<TrackablePlaces>>()

function findPlaces({ gateways, publicUrl }: Dependencies, email: TrackedEmail, html: string, baseUrl: string): Promise<TrackablePlaces> {
  const found = known.get(email)
  if (found) return found
  const header = Object.entries(email.headers).find(([name]) => name.toLowerCase() === 'list-unsubscribe')?.[1]
  const rules = {
    // Links to pages are personal: each would be counted by itself, and its address would show one person's mail to everyone who reads the events.
    untrackedPrefixes: [`${publicUrl}/unsubscribe/`, `${publicUrl}/share/`, `${baseUrl}${LINK_PATH}`],
    unsubscribeLinks: findUnsubscribeLinks(header),
  }
  const finding = isLong(html)
    ? gateways.texts.do(email.teamId, { kind: 'trackablePlaces', html, rules })
    : findTrackablePlaces(html, rules)
  known.set(email, finding)
  return finding
}

const image = (url: string | null): string =>
  url === null
    ? ''
    : `<img src="${escapeHtml(url)}" width="1" height="1" alt="" style="display:block;width:1px;height:1px;border:0;margin:0;padding:0">`

const invisibleLink = (url: string | null): string =>
  url === null ? '' : `<a href="${escapeHtml(url)}" aria-hidden="true" tabindex="-1" rel="nofollow" style="display:none"></a>`
