// Addresses of the console. Sections are a list, so paths are text here and not types of the router.
import { useNavigate, useParams, useRouterState } from '@tanstack/react-router'
import { useEffect } from 'react'

/** What is filtered, as it stands in the address, so that a link shows the same list. Empty values are left out. */
export function useFilters<Name extends string>(
  names: readonly Name[],
): [Partial<Record<Name, string>>, (changed: Partial<Record<Name, string>>) => void] {
  const search = useRouterState({ select: ({ location }) => location.search }) as unknown as Record<string, string | undefined>
  const navigate = useNavigate()
  const filters = Object.fromEntries(names.flatMap((name) => (search[name] ? [[name, search[name]]] : []))) as Partial<Record<Name, string>>
  const change = (changed: Partial<Record<Name, string>>) =>
    void navigate({ to: '.', search: { ...search, ...changed } as never, replace: true })
  return [filters, change]
}

/** A part of the address, such as the id of an email. */
export function useAddressPart(name: string): string {
  const parts = useParams({ strict: false }) as Record<string, string | undefined>
  return parts[name] ?? ''
}

/** Goes to a page of the console: `go('/emails/0193...')`. */
export function useGo(): (path: string, search?: Record<string, string>) => void {
  const navigate = useNavigate()
  return (path, search) => void navigate({ to: path, ...(search && { search: search as never }) })
}

/** What an address asks a page to do at once, such as `?do=create-topic`: it is done when the page opens, and then no longer stands in the address. */
export function useCommand(command: string | undefined, act: () => void): void {
  const search = useRouterState({ select: ({ location }) => location.search }) as unknown as Record<string, string | undefined>
  const navigate = useNavigate()
  const isAsked = command !== undefined && search.do === command
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each time that it stands there
  useEffect(() => {
    if (!isAsked) return
    act()
    void navigate({ to: '.', search: { ...search, do: undefined } as never, replace: true })
  }, [isAsked])
}
