// The script of /docs, in plain JavaScript for the browser: a plugin of Swagger UI that folds what makes operations long, and leads to the other pages.
;(() => {
  const isDark = matchMedia('(prefers-color-scheme: dark)')
  const paint = () => document.documentElement.classList.toggle('dark-mode', isDark.matches)
  isDark.addEventListener('change', paint)
  paint()

  // On a phone it would stand before everything else.
  const index = document.querySelector('.operations-index details')
  index.open = matchMedia('(min-width: 75rem)').matches

  // Who is signed in to the console needs no key here: a token that lasts for minutes names the session. It is kept in this page alone, and the
  // commands that the page shows are without it.
  const RENEWED_BEFORE_MS = 60_000
  let session = { token: null, until: 0 }
  const renew = async () => {
    const answer = await fetch('/console/documentation-token', { method: 'POST' }).catch(() => null)
    const { token = null, team = null, expires_in_seconds: seconds = 0 } = answer?.ok ? await answer.json() : {}
    session = { token, team, until: performance.now() + seconds * 1_000 - RENEWED_BEFORE_MS }
    if (answer?.ok) followSession(token !== null)
    return session
  }

  // A key that is entered here is kept for this tab only, and no longer than until the reader signs out, in whichever tab.
  // Mail that this origin shows is in frames with an origin of their own, which cannot read its storage.
  const KEPT = 'docs-authorization'
  let forgetKey = () => sessionStorage.removeItem(KEPT)
  const kept = () => JSON.parse(sessionStorage.getItem(KEPT) ?? 'null')
  const keep = (authorized, isSignedIn) => sessionStorage.setItem(KEPT, JSON.stringify({ authorized, isSignedIn }))
  let wasSignedIn = kept()?.isSignedIn ?? false
  const followSession = (isSignedIn) => {
    const { authorized } = kept() ?? {}
    if (wasSignedIn && !isSignedIn) forgetKey()
    else if (authorized !== undefined) keep(authorized, isSignedIn)
    wasSignedIn = isSignedIn
  }
  // Where the version before kept it for good.
  localStorage.removeItem('authorized')
  const signedIn = renew()

  const authorization = {
    configs: {
      wrapActions: {
        loaded: (original, system) => (action) => {
          original(action)
          const { authorized } = kept() ?? {}
          if (authorized !== undefined) system.authActions.restoreAuthorization({ authorized })
          forgetKey = () => {
            sessionStorage.removeItem(KEPT)
            system.authActions.logout(Object.keys(system.authSelectors.authorized().toJS()))
          }
        },
      },
    },
    auth: {
      wrapActions: {
        persistAuthorizationIfNeeded:
          (_original, { authSelectors }) =>
          () =>
            keep(authSelectors.authorized().toJS(), session.token !== null),
      },
    },
  }

  const withSession = async (request) => {
    const isOurs = new URL(request.url, location.href).origin === location.origin
    if (request.loadSpec || request.headers.Authorization || !isOurs) return request
    await signedIn
    const { token } = session.token !== null && performance.now() > session.until ? await renew() : session
    if (token !== null) request.headers.Authorization = `Bearer ${token}`
    return request
  }

  const element = (name, attributes = {}, ...children) => {
    const made = document.createElement(name)
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
    made.append(...children)
    return made
  }
  const link = (name, address) => element('a', { href: address, ...(address === '/docs' && { 'aria-current': 'true' }) }, name)
  // As the console has them (console/shell/console-page.ts).
  const sections = (place) =>
    element(
      'ul',
      {},
      ...window.sectionGroups.flatMap((group) => {
        const links = group.sections.map(({ name, address }) => element('li', {}, link(name, address)))
        if (group.name === null) return links
        const id = `${place}-${group.name.toLowerCase()}`
        return element(
          'li',
          { class: 'section-group' },
          element('span', { id }, group.name),
          element('ul', { 'aria-labelledby': id }, ...links),
        )
      }),
    )
  // Visitors who are not signed in see what the pages without sign-in have (console/shell/front-page.ts).
  const drawShell = (team) => {
    for (const old of document.querySelectorAll('body > .bar, body > .sections')) old.remove()
    const navigation = (place) => element('nav', { class: place, 'aria-label': 'Sections' }, sections(place))
    const bar =
      team === null
        ? element(
            'header',
            { class: 'bar' },
            element('a', { class: 'brand', href: '/' }, 'Posthaste'),
            element('nav', { 'aria-label': 'Pages' }, link('Console', '/console'), link('Docs', '/docs')),
          )
        : element(
            'header',
            { class: 'bar' },
            element('a', { class: 'brand', href: '/console' }, 'Posthaste'),
            element('details', { class: 'menu' }, element('summary', {}, 'Menu'), navigation('in-menu')),
            element('span', { class: 'team', title: team }, element('bdi', {}, team)),
          )
    document.body.prepend(bar, ...(team === null ? [] : [navigation('sections')]))
  }

  const withTeam =
    (Info, { React }) =>
    (props) => {
      const [team, setTeam] = React.useState(null)
      React.useEffect(() => {
        const show = (now) => setTeam(now.team ?? null)
        void signedIn.then(show)
        // Meanwhile, the reader may have signed in to another team, or out.
        const again = () => document.hidden || void renew().then(show)
        document.addEventListener('visibilitychange', again)
        addEventListener('focus', again)
        return () => {
          document.removeEventListener('visibilitychange', again)
          removeEventListener('focus', again)
        }
      }, [])
      React.useEffect(() => drawShell(team), [team])
      return React.createElement(
        'section',
        { 'aria-label': 'About the API' },
        React.createElement(Info, props),
        team !== null &&
          React.createElement(
            'p',
            { className: 'signed-in', role: 'status' },
            'You are signed in to the console: requests from this page act for the team ',
            React.createElement('bdi', null, team),
            '. A key that you enter here is used instead.',
          ),
      )
    }

  const labelled =
    (TextArea, { React }) =>
    (props) =>
      React.createElement(TextArea, { 'aria-label': 'Request body', ...props })

  // All but the usual success is one line until it is opened. An operation that has two successes tells the other one by its description.
  const isUsual = (code, description) => String(code).startsWith('2') && !description.endsWith('it existed already.')

  const foldedError =
    (Response, { React }) =>
    (props) => {
      const [isOpen, setOpen] = React.useState(false)
      const description = props.response.get('description') ?? ''
      if (isUsual(props.code, description)) return React.createElement(Response, props)
      const line = React.createElement(
        'tr',
        { className: 'error-line', 'data-code': props.code },
        React.createElement('td', { className: 'response-col_status' }, props.code),
        React.createElement(
          'td',
          { colSpan: 2 },
          React.createElement(
            'button',
            { type: 'button', 'aria-expanded': isOpen, onClick: () => setOpen(!isOpen) },
            description.replaceAll('`', ''),
          ),
        ),
      )
      return React.createElement(
        React.Fragment,
        null,
        line,
        isOpen && React.createElement(Response, { ...props, className: 'opened-error' }),
      )
    }

  const foldedHeaders =
    (Headers, { React }) =>
    (props) =>
      React.createElement(
        'details',
        { className: 'folded-headers' },
        React.createElement('summary', null, 'Headers'),
        React.createElement(Headers, props),
      )

  // The bundle's own resolver parses the whole document whenever an operation is opened, which takes a second. Every reference of ours is local.
  // A schema that holds itself keeps its reference there.
  const resolved = (document, part, above = []) => {
    if (part === null || typeof part !== 'object') return part
    if (Array.isArray(part)) return part.map((entry) => resolved(document, entry, above))
    const { $ref, ...beside } = part
    if (typeof $ref === 'string' && !above.includes($ref)) {
      const target = resolved(document, partAt(document, $ref.slice(2).split('/')), [...above, $ref])
      // What stands beside a reference applies too. Swagger UI takes the name that it shows from `$$ref`.
      return { ...target, ...resolved(document, beside, above), $$ref: `${location.origin}/openapi.json${$ref}` }
    }
    return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, resolved(document, inner, above)]))
  }
  const partAt = (document, path) => path.reduce((part, name) => part?.[name.replaceAll('~1', '/').replaceAll('~0', '~')], document)
  const resolveSubtree = async (document, path) => ({
    spec: resolved(
      document,
      path.reduce((part, name) => part?.[name], document),
    ),
    errors: [],
  })

  // The filter of the library knows only the names of sections and the paths.
  const opsFilter = (sections, phrase) => {
    const words = phrase.toLowerCase().split(/\s+/)
    const matches = (operation, name) => {
      const text = `${name} ${operation.get('method')} ${operation.get('path')} ${operation.getIn(['operation', 'summary'])} ${operation.getIn(['operation', 'operationId'])}`
      return words.every((word) => text.toLowerCase().includes(word))
    }
    return sections
      .map((section, name) => section.update('operations', (all) => all.filter((operation) => matches(operation, name))))
      .filter((section) => section.get('operations').size > 0)
  }
  const namedFilter =
    (FilterContainer, { React }) =>
    (props) => {
      React.useEffect(() => {
        for (const input of document.querySelectorAll('.operation-filter-input')) {
          input.placeholder = 'Filter by path, name or section'
          input.setAttribute('aria-label', input.placeholder)
        }
      })
      return React.createElement('section', { role: 'search' }, React.createElement(FilterContainer, props))
    }

  // Swagger UI draws only what is on the screen, and follows addresses only as it starts.
  const followIndex = (system) => {
    document.querySelector('.operations-index').addEventListener('click', (event) => {
      const hash = event.target.closest('a')?.getAttribute('href')
      if (!hash || event.ctrlKey || event.metaKey || event.shiftKey) return
      event.preventDefault()
      system.layoutActions.updateFilter(true)
      if (!matchMedia('(min-width: 75rem)').matches) index.open = false
      if (hash === '#webhooks') document.querySelector('.webhooks')?.scrollIntoView()
      else system.layoutActions.parseDeepLinkHash(decodeURIComponent(hash))
    })
  }

  const plugin = () => ({
    afterLoad: followIndex,
    fn: { resolveSubtree, opsFilter },
    statePlugins: authorization,
    wrapComponents: {
      FilterContainer: namedFilter,
      responses: window.withSamples,
      InfoContainer: withTeam,
      response: foldedError,
      headers: foldedHeaders,
      TextArea: labelled,
    },
  })
  const start = window.SwaggerUIBundle
  // A layout that is not used here.
  window.SwaggerUIStandalonePreset = []
  window.SwaggerUIBundle = Object.assign(
    (config) => start({ ...config, requestInterceptor: withSession, showMutatedRequest: false, plugins: [...config.plugins, plugin] }),
    start,
  )
})()
