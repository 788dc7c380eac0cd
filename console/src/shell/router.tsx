import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { Loading } from '../parts/Loading'
import { MOVED } from './old-addresses'
import { NotFound, PageProblem } from './problems'
import { Shell } from './Shell'
import { SECTIONS } from './sections'

const root = createRootRoute({
  component: Shell,
  notFoundComponent: NotFound,
  errorComponent: ({ error }) => <PageProblem error={error as Error} />,
})

const routes = SECTIONS.flatMap(({ path, pages }) =>
  Object.entries(pages).map(([rest, load]) =>
    createRoute({
      getParentRoute: () => root,
      path: [path, rest].filter((part) => part !== '').join('/') || '/',
      component: lazyRouteComponent(load),
      // What a page shows, holds and does is of one record: nothing of it stays when the address names another.
      remountDeps: ({ params }) => params,
      errorComponent: ({ error }) => <PageProblem error={error as Error} />,
    }),
  ),
)

const moved = Object.entries(MOVED).map(([path, to]) =>
  createRoute({
    getParentRoute: () => root,
    path,
    beforeLoad: () => {
      throw redirect({ to: to as never, replace: true })
    },
  }),
)

/** A page that is there at once shows nothing in between. */
const PENDING_MS = 300

export const router = createRouter({
  routeTree: root.addChildren([...routes, ...moved]),
  basepath: import.meta.env.BASE_URL,
  defaultPreload: 'intent',
  defaultPendingComponent: Loading,
  defaultPendingMs: PENDING_MS,
  scrollRestoration: true,
  // What is filtered stands in the address as it is typed there: text.
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const filled = Object.entries(search).filter(([, value]) => value !== undefined && value !== null && value !== '')
    const text = new URLSearchParams(filled.map(([name, value]) => [name, String(value)])).toString()
    return text === '' ? '' : `?${text}`
  },
})
