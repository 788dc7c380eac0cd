// Content in the console: written in blocks, looked at, saved by itself, and not lost to a second writer.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { png } from '../../support/builders/images.ts'
import { createTemplate, publishedTemplate } from '../../support/builders/templates.ts'
import { signIn } from '../../support/clients/console.ts'
import { until } from '../../support/clocks/until.ts'
import { create } from '../../support/records/record-builder.ts'
import { type NamedAddress, openNamedAddress } from '../../support/servers/named-address.ts'
import { startTestService, type TestService } from '../../support/servers/service.ts'
import { browserOfWorker, closePages } from '../browser.ts'
import { openApp } from './app.ts'
import { faultsOf } from './look.ts'

let browser: Browser
let service: TestService
/** Images are served at the public address of the service, which is that of the console. */
let named: NamedAddress
beforeAll(async () => {
  browser = await browserOfWorker()
  named = await openNamedAddress(() => service.url)
  service = await startTestService({ environment: { PUBLIC_URL: named.origin } })
})
afterAll(async () => {
  await closePages(browser)
  await service.close()
  named.close()
})

const open = async (path: string, width = 1440) => openApp(browser, { origin: named.origin, cookie: await signIn(service), path, width })
const words = (page: Page) => page.getByRole('textbox', { name: 'What it says' })
/** Once the editor has the keys: it takes them with the next picture that the browser draws. */
const inWords = (page: Page) => words(page).and(page.locator(':focus')).waitFor()
const read = async (id: string) => Object((await service.call('GET', `/templates/${id}`)).body)

it('is written in blocks: words, a heading, a variable with a fallback, a button, and a link', async () => {
  const { page, refused, strayRequests } = await open('/templates')
  await page.getByRole('link', { name: 'New template' }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Welcome')
  await page.getByRole('textbox', { name: 'Subject' }).fill('Welcome')
  // A variable goes into the editor that one sees: there is none beside the text, and the HTML that was open before gets nothing.
  await page.getByRole('tab', { name: 'Text' }).click()
  await page.getByRole('button', { name: 'Insert a variable' }).waitFor({ state: 'detached' })
  await page.getByRole('tab', { name: 'Own HTML' }).click()
  await page.getByRole('textbox', { name: 'Own HTML' }).waitFor()
  await page.getByRole('tab', { name: 'Blocks' }).click()
  await words(page).click()
  await page.keyboard.type('Welcome, ')
  await page.getByRole('button', { name: 'Insert a variable' }).click()
  await page.getByRole('menuitem', { name: 'First name' }).click()
  const fallback = page.getByRole('textbox', { name: 'Where First name is not known, it says' })
  await fallback.fill('a}b{c')
  await page.getByText('This text cannot have braces.').waitFor()
  await fallback.press('Enter')
  await fallback.fill('dear')
  await fallback.press('Enter')
  await page.getByRole('button', { name: 'Add a block' }).click()
  await page.getByRole('menuitem', { name: 'Heading', exact: true }).click()
  await words(page).press('End')
  await words(page).press('Enter')
  await page.keyboard.type('Hel')
  // Escape leaves people where they write.
  await page.getByRole('button', { name: 'Insert a variable' }).click()
  await page.getByRole('menuitem', { name: 'First name' }).click()
  await page.getByRole('textbox', { name: 'Where First name is not known, it says' }).press('Escape')
  await inWords(page)
  await page.keyboard.type('lo ')
  await page.getByRole('button', { name: 'Insert a variable' }).click()
  await page.getByRole('menuitem', { name: 'First name' }).click()
  await page.getByRole('textbox', { name: 'Where First name is not known, it says' }).fill('friend')
  await page.getByRole('button', { name: 'Insert', exact: true }).click()
  await inWords(page)
  await page.keyboard.type(', look around. ')
  await page.getByRole('button', { name: 'Insert a variable' }).click()
  await page.getByRole('menuitem', { name: 'Link to unsubscribe' }).click()
  await inWords(page)
  await page.keyboard.type(' at any time')
  await page.frameLocator('iframe').getByText('Hello friend, look around.').waitFor()
  expect(await faultsOf(page, 'template-blocks')).toEqual([])
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { level: 1, name: 'Welcome', exact: true }).waitFor()
  const id = page.url().split('/').at(-1) ?? ''
  const { html, text, content_document } = await read(id)
  expect(html).toMatch(/<h1[^>]*>Welcome, \{\{\{contact\.first_name\|dear\}\}\}<\/h1>/)
  expect(html).toContain('Hello {{{contact.first_name|friend}}}, look around.')
  expect(html).toMatch(/<a [^>]*href="\{\{\{UNSUBSCRIBE_URL\}\}\}"[^>]*><u>Unsubscribe<\/u><\/a> at any time/)
  // In capitals, the name of the variable would be another.
  expect(text).toContain('Welcome, {{{contact.first_name|dear}}}')
  expect(text).toContain('Hello {{{contact.first_name|friend}}}, look around.')
  expect(content_document).toMatchObject({ version: 1, doc: { type: 'doc' } })
  expect({ refused, strayRequests }).toEqual({ refused: [], strayRequests: [] })
})

it('saves what is written by itself, undoes, and brings back what was overwritten', async () => {
  const id = await publishedTemplate(service, { name: 'Saved', html: '<p>As it was</p>', variables: [], subject: 'Hello' })
  const { page, refused } = await open(`/templates/${id}/edit`)
  // It was written as HTML, and stays HTML until someone wants blocks.
  const html = page.getByRole('textbox', { name: 'Own HTML' })
  await html.getByText('As it was').waitFor()
  await page.getByRole('tab', { name: 'Blocks' }).click()
  await page.getByRole('button', { name: 'Copy it into blocks' }).click()
  // Nothing is saved of a copy in which no one has written, and one can go back.
  await words(page).getByText('As it was').waitFor()
  await page.getByRole('button', { name: 'Back to the HTML as it was' }).click()
  await page.getByRole('button', { name: 'Copy it into blocks' }).click()
  await words(page).getByText('As it was').click()
  await words(page).press('End')
  await page.keyboard.type(', and more')
  await until(async () => expect((await read(id)).html).toContain('As it was, and more'))
  await page.getByText(/^Saved at/).waitFor()
  expect((await read(id)).published_version_id).not.toBe((await read(id)).current_version_id)
  await page.getByRole('button', { name: 'Undo' }).click()
  await until(async () => expect((await read(id)).html).not.toContain('and more'))
  await words(page).click()
  await page.keyboard.type('Overwritten ')
  await until(async () => expect((await read(id)).html).toContain('Overwritten'))
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Saved' }).waitFor()
  // What was read before it was saved has been replaced.
  await page.frameLocator('iframe').getByText('Overwritten').waitFor()
  await page
    .getByRole('row', { name: /Published|sent/ })
    .getByRole('button', { name: 'Restore' })
    .click()
  await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click()
  await page.frameLocator('iframe').getByText('As it was', { exact: true }).waitFor()
  expect(await read(id)).toMatchObject({ html: '<p>As it was</p>', content_document: null })
  expect(refused).toEqual([])
})

it('does not say that something is saved which was written while it saved', async () => {
  const id = await createTemplate(service, { name: 'Slowly saved', html: '<p>A</p>' })
  const { page } = await open(`/templates/${id}/edit`)
  const html = page.getByRole('textbox', { name: 'Own HTML' })
  await html.getByText('A').waitFor()
  const saved: string[] = []
  const gate = Promise.withResolvers<void>()
  await page.route(`**/templates/${id}`, async (route) => {
    if (route.request().method() === 'PATCH') {
      saved.push(route.request().postDataJSON().html)
      await gate.promise
    }
    await route.continue()
  })
  await page.evaluate(`{
    window.said = []
    const look = () => {
      const words = [...document.querySelectorAll('[role=status]')].map((status) => status.textContent.match(/^(Not saved|Saving|Saved)/)?.[0]).find(Boolean)
      if (words !== undefined && words !== said.at(-1)) said.push(words)
    }
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true })
  }`)
  await html.fill('<p>B</p>')
  await until(() => expect(saved).toHaveLength(1))
  await html.fill('<p>C</p>')
  await page.getByText(/^Not saved/).waitFor()
  gate.resolve()
  await page.getByText(/^Saved at/).waitFor()
  expect((await read(id)).html).toBe('<p>C</p>')
  expect(await page.evaluate('said')).toEqual(['Not saved', 'Saving', 'Not saved', 'Saving', 'Saved'])
})

it('tells the later of two who write at once, who chooses what stays', async () => {
  const id = await createTemplate(service, { name: 'Shared', html: '<p>Ours</p>' })
  const { page } = await open(`/templates/${id}/edit`)
  await page.getByRole('textbox', { name: 'Own HTML' }).getByText('Ours').waitFor()
  await service.call('PATCH', `/templates/${id}`, { body: { html: '<p>Theirs</p>' } })
  await page.getByRole('textbox', { name: 'Own HTML' }).fill('<p>Mine</p>')
  const dialog = page.getByRole('dialog', { name: 'Someone else has changed it' })
  await dialog.getByText(/This template was changed meanwhile by .+, at \d{4}-/).waitFor()
  expect((await read(id)).html).toBe('<p>Theirs</p>')
  expect(await faultsOf(page, 'changed-meanwhile')).toEqual([])
  await dialog.getByRole('button', { name: 'Keep mine' }).click()
  await page.getByText(/^Saved at/).waitFor()
  expect((await read(id)).html).toBe('<p>Mine</p>')
  await service.call('PATCH', `/templates/${id}`, { body: { html: '<p>Theirs again</p>' } })
  await page.getByRole('textbox', { name: 'Own HTML' }).fill('<p>Mine again</p>')
  await dialog.getByRole('button', { name: 'Save mine as a copy' }).click()
  await page.waitForURL((url) => !url.pathname.includes(id))
  expect((await read(page.url().split('/').at(-2) ?? '')).html).toBe('<p>Mine again</p>')
  expect((await read(id)).html).toBe('<p>Theirs again</p>')
})

it('publishes only what was looked at', async () => {
  const id = await createTemplate(service, { name: 'Two hands', html: '<p>Looked at</p>', subject: 'Hello' })
  const { page } = await open(`/templates/${id}`)
  await page.frameLocator('iframe').getByText('Looked at').waitFor()
  await page.getByRole('button', { name: 'Publish' }).click()
  await service.call('PATCH', `/templates/${id}`, { body: { html: '<p>Half a sentence</p>' } })
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  const question = page.getByRole('dialog', { name: 'Someone else has changed it' })
  await question.getByText(/This template was changed meanwhile by .+ before you publish it\./).waitFor()
  expect((await read(id)).status).toBe('draft')
  expect(await faultsOf(page, 'publish-changed-meanwhile')).toEqual([])
  await question.getByRole('button', { name: 'Show theirs' }).click()
  await page.frameLocator('iframe').getByText('Half a sentence').waitFor()
  await page.getByRole('button', { name: 'Publish' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  await page.getByText('The newest version is published').waitFor()
  expect((await read(id)).has_unpublished_versions).toBe(false)
})

it('opens what strangers wrote as blocks without anything of it running or calling', async () => {
  const home = `${service.url}/called-home`
  const text = (words: string, marks: unknown[] = []) => ({ type: 'text', text: words, marks })
  const doc = {
    type: 'doc',
    content: [
      { type: 'script', content: [text(`fetch('${home}')`)] },
      { type: 'paragraph', attrs: { style: `background: url(${home}); color: red`, onclick: 'alert(1)' }, content: [text('Plain words')] },
      { type: 'paragraph', content: [text('A link', [{ type: 'link', attrs: { href: 'javascript:alert(1)', onmouseover: 'alert(1)' } }])] },
      { type: 'paragraph', content: [text('Words', [{ type: 'unknown' }])] },
      { type: 'codeBlock', attrs: { theme: 'x/../../../called-home?', language: '../x' }, content: [text('code')] },
      { type: 'image', attrs: { src: 'data:text/html,<script>alert(1)</script>', alt: '"><script>alert(1)</script>' } },
    ],
  }
  const id = await createTemplate(service, { name: 'Hostile', html: '<p>x</p>', content_document: { version: 1, doc } })
  const { page, strayRequests } = await open(`/templates/${id}/edit`)
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  page.on('dialog', () => asked.push('a dialog was opened'))
  await words(page).getByText('Plain words').waitFor()
  await page.getByText('Parts of these blocks are not known here').waitFor()
  const pasted = `<p style="background:url(${home})" onclick="alert(1)">Pasted <a href="javascript:alert(1)">here</a><script>fetch('${home}')</script><img src="x" onerror="fetch('${home}')"><style>@import '${home}'</style><iframe src="${home}"></iframe></p><p>And below</p>`
  await words(page).getByText('Plain words').click()
  await page.evaluate(`{
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/html', ${JSON.stringify(pasted)})
    document.querySelector('.tiptap').dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }`)
  await words(page).getByText('Pasted here').waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Hostile' }).waitFor()
  const { html, content_document } = await read(id)
  expect(html).toContain('Pasted')
  expect(`${html}${JSON.stringify(content_document)}`).not.toMatch(/javascript:|called-home|onclick|onerror|onmouseover|data:text/)
  expect(html).not.toContain('<script')
  expect({ strayRequests, asked: asked.filter((url) => url.includes('called-home') || url.includes('dialog')) }).toEqual({
    strayRequests: [],
    asked: [],
  })
})

it('shows an image that was chosen, says what it shows, and sends its address', async () => {
  const id = await createTemplate(service, {
    name: 'With an image',
    html: '<p>Look</p>',
    content_document: { version: 1, doc: { type: 'doc', content: [{ type: 'paragraph' }] } },
  })
  const { page, refused, strayRequests } = await open(`/templates/${id}/edit`)
  await words(page).click()
  await page.getByRole('button', { name: 'Add a block' }).click()
  await page.getByRole('menuitem', { name: 'Image' }).click()
  const dialog = page.getByRole('dialog')
  await dialog
    .locator('input[type=file]')
    .setInputFiles({ name: 'lamp.png', mimeType: 'image/png', buffer: png({ width: 80, height: 60 }) })
  const alt = dialog.getByRole('textbox', { name: 'What the image shows' })
  await alt.and(page.locator(':focus')).waitFor()
  await alt.fill('A lamp')
  await dialog.getByRole('button', { name: 'Put the image in' }).click()
  await words(page).locator('img').click()
  await expect.poll(() => page.getByRole('textbox', { name: 'What the image shows' }).inputValue()).toBe('A lamp')
  await page.getByText(/^Saved at/).waitFor()
  await until(async () => expect((await read(id)).html).toMatch(/<img[^>]*alt="A lamp"[^>]*src="http[^"]*\/media\/[^"]+"/))
  // It is of the team, so no one is asked whether it may be loaded.
  expect(await page.getByRole('button', { name: 'Show images' }).count()).toBe(0)
  expect(await faultsOf(page, 'template-image')).toEqual([])
  expect({ refused, strayRequests }).toEqual({ refused: [], strayRequests: [] })
})

it('sends a test of a changed template to oneself, with values for its variables', async () => {
  const id = await publishedTemplate(service, { name: 'Tested', html: '<p>Hello {{{PRODUCT}}}</p>', subject: 'About {{{PRODUCT}}}' })
  const { page, refused } = await open(`/templates/${id}`)
  await page.getByRole('button', { name: 'Send a test' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'To' }).fill('delivered@simulator.test')
  await dialog.getByRole('textbox', { name: 'PRODUCT' }).fill('the lamp')
  expect(await faultsOf(page, 'template-test')).toEqual([])
  await dialog.getByRole('button', { name: 'Send a test' }).click()
  await page.getByText('The test was sent').waitFor()
  const { body } = await service.call('GET', '/emails?to=delivered@simulator.test')
  expect(body).toMatchObject({ data: [{ subject: '[Test] About the lamp' }] })
  expect(Object((await service.call('GET', `/emails/${Object(body).data[0].id}`)).body).html).toContain('<p>Hello the lamp</p>')
  expect(refused).toEqual([])
})

it('tells a marketer who sends a test of a template, and leads to the test of a broadcast that begins with it', async () => {
  const id = await publishedTemplate(service, { name: 'Of a marketer', html: '<p>Hello readers</p>', subject: 'Hello', variables: [] })
  const cookie = await signIn(service, service.token, 'marketer')
  const { page, refused } = await openApp(browser, { origin: service.url, cookie, path: `/templates/${id}` })
  await page.getByRole('button', { name: 'Send a test' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Owners, admins and developers of the team send it').waitFor()
  expect(await faultsOf(page, 'template-no-test')).toEqual([])
  await dialog.getByRole('link', { name: 'Begin a broadcast with it' }).click()
  await page.getByRole('heading', { level: 1, name: 'New broadcast' }).waitFor()
  await expect.poll(() => page.getByRole('combobox', { name: 'Begin with a template' }).inputValue()).toBe('Of a marketer')
  await expect.poll(() => page.getByRole('textbox', { name: 'Subject', exact: true }).inputValue()).toBe('Hello')
  await page.frameLocator('iframe').getByText('Hello readers').waitFor()
  expect(refused).toEqual([])
})

it('begins a broadcast with a template, and with a link to unsubscribe, by keyboard alone', async () => {
  const segmentId = await create(service, '/segments', { name: 'Readers' })
  await publishedTemplate(service, {
    name: 'News',
    html: '<p>From the template</p>',
    subject: 'Monthly news',
    from: 'Acme <hello@example.com>',
    variables: [],
  })
  const { page, refused } = await open('/broadcasts/new')
  await page.getByRole('combobox', { name: 'Begin with a template' }).fill('News')
  await page.getByRole('option', { name: 'News' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByRole('textbox', { name: 'Own HTML' }).getByText('From the template').waitFor()
  await expect.poll(() => page.getByRole('textbox', { name: 'Subject' }).inputValue()).toBe('Monthly news')
  await page.reload()
  await page.getByRole('combobox', { name: 'Segment' }).fill('Readers')
  await page.getByRole('option', { name: 'Readers' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByRole('combobox', { name: 'From' }).fill('Acme <hello@example.com>')
  await page.getByRole('textbox', { name: 'Subject' }).fill('News')
  await words(page).focus()
  await page.keyboard.press('Control+Home')
  await page.keyboard.type('Dear readers')
  await page.keyboard.press('Enter')
  // What the slash offers.
  await page.keyboard.type('/divider')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Save the draft' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'News', exact: true }).waitFor()
  const { html, segment_id } = Object((await service.call('GET', `/broadcasts/${page.url().split('/').at(-1)}`)).body)
  expect(segment_id).toBe(segmentId)
  expect(html).toContain('Dear readers')
  expect(html).toContain('<hr')
  expect(html).toMatch(/<a[^>]*href="\{\{\{UNSUBSCRIBE_URL\}\}\}"/)
  expect(refused).toEqual([])
})

it('sets the link of a button, and stays where one writes', async () => {
  const { page, refused } = await open('/templates/new')
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('With a button')
  await words(page).click()
  await page.getByRole('button', { name: 'Add a block' }).click()
  await page.getByRole('menuitem', { name: 'Button' }).click()
  const address = page.getByRole('textbox', { name: 'Address that the button opens' })
  await address.waitFor()
  await inWords(page)
  await address.fill('javascript:alert(1)')
  await page.getByText('Write an address that begins with https://').waitFor()
  await address.fill('shop.example.com/sale')
  await page.frameLocator('iframe').locator('a[href="https://shop.example.com/sale"]').waitFor()
  await address.fill('https://shop.example.com')
  await page.frameLocator('iframe').locator('a[href="https://shop.example.com"]').waitFor()
  expect(page.url()).toContain('/templates/new')
  expect(refused).toEqual([])
})

it('is written on a phone', async () => {
  const id = await createTemplate(service, {
    name: 'On the way',
    html: '',
    content_document: { version: 1, doc: { type: 'doc', content: [{ type: 'paragraph' }] } },
  })
  const { page, refused } = await open(`/templates/${id}/edit`, 390)
  await words(page).click()
  await page.keyboard.type('Written on the way')
  await page.getByText('Phone', { exact: true }).click()
  await page.frameLocator('iframe').getByText('Written on the way').waitFor()
  await until(async () => expect((await read(id)).html).toContain('Written on the way'))
  await page.getByText(/^Saved at/).waitFor()
  expect(await faultsOf(page, 'template-phone')).toEqual([])
  expect(refused).toEqual([])
})
