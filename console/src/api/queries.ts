// Reading: a record, a list by pages, and how long what was read counts as new. The first part of a key is the section, as the event stream names it.
import { keepPreviousData, QueryClient, type UseQueryResult, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { ApiError, answer, api, chosenTeam } from './client'
import type { paths } from './schema'

type Reply<Operation> = Operation extends { responses: { 200: { content: { 'application/json': infer Body } } } } ? Body : never
type Parameters<Operation> = Operation extends { parameters: { query?: infer Query; path?: infer Path } }
  ? ([Query] extends [undefined] ? { query?: undefined } : { query?: Query }) &
      ([Path] extends [undefined] ? { path?: undefined } : { path: Path })
  : never

type ReadPath = { [Path in keyof paths]: paths[Path] extends { get: { responses: { 200: unknown } } } ? Path : never }[keyof paths]
type ListPath = { [Path in ReadPath]: Reply<paths[Path]['get']> extends { data: unknown[] } ? Path : never }[ReadPath]

/** A record as the API shows it. */
export type RecordOf<Path extends ReadPath> = Reply<paths[Path]['get']>
/** A row of a list. */
export type RowOf<Path extends ListPath> = Reply<paths[Path]['get']> extends { data: (infer Row)[] } ? Row : never
export type ParametersOf<Path extends ReadPath> = Parameters<paths[Path]['get']>

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      refetchOnWindowFocus: true,
      // After one second, and then two.
      retry: (count, error) => count < RETRIES_MAX && (!(error instanceof ApiError) || isForNow(error)),
    },
    // What someone sends goes out once, or says that it did not.
    mutations: { retry: false, networkMode: 'always' },
  },
})
const RETRIES_MAX = 2
/** Also a person who opens several pages within a second, and has asked for more than one may. */
const isForNow = ({ status }: ApiError): boolean => status === 0 || status === 429 || status >= 500

const read = (path: string, parameters: unknown): Promise<unknown> =>
  // The types of a path that is a variable are those of all paths.
  answer((api.GET as unknown as Get)(path, { params: (parameters ?? {}) as object }))
type Get = (path: string, init: { params: object }) => Promise<{ data?: unknown; error?: unknown; response: Response }>

/** @param section the one with which it changes, if that is not the section of its path */
export const keyOf = (path: string, parameters: unknown, section = path.split('/')[1] ?? ''): readonly unknown[] => [
  section,
  path,
  parameters ?? null,
  chosenTeam(),
]

type Reading<Body = unknown> = {
  isEnabled?: boolean
  /** Reads it again and again; by what was read, or null for not now. */
  everyMs?: number | ((body: Body) => number | null)
  /** Reads it again, whatever was read a moment ago: for what is to be changed. */
  isFresh?: boolean
}

export function useRecord<Path extends ReadPath>(
  path: Path,
  parameters?: ParametersOf<Path>,
  { isEnabled = true, everyMs, isFresh = false }: Reading<RecordOf<Path>> = {},
): UseQueryResult<RecordOf<Path>> {
  return useQuery({
    queryKey: keyOf(path, parameters),
    queryFn: () => read(path, parameters) as Promise<RecordOf<Path>>,
    enabled: isEnabled,
    refetchInterval: ({ state: { data } }) => (typeof everyMs === 'function' ? data && everyMs(data) : everyMs) ?? false,
    placeholderData: keepPreviousData,
    ...(isFresh && { refetchOnMount: 'always' as const }),
  })
}

/** What the parts that show a list need of it. */
export type Rows<Row> = {
  rows: Row[]
  /** Nothing is known yet, and it is being read: a list that is not asked for does not load. */
  isLoading: boolean
  error: Error | null
  hasMore: boolean
  /** The rows are those of another filter, until those of this one are there. */
  isOfOtherFilter: boolean
  isLoadingMore: boolean
  /** Where a search has stopped; null: it has read everything so far. */
  searchedTo: string | null
  loadMore: () => void
  retry: () => void
}

type Page<Row> = { data: Row[]; has_more?: boolean; searched_to?: string | null }

export function useRows<Path extends ListPath>(
  path: Path,
  parameters?: ParametersOf<Path>,
  { isEnabled = true, everyMs }: { isEnabled?: boolean; everyMs?: number } = {},
): Rows<RowOf<Path>> {
  const list = useInfiniteQuery({
    queryKey: [...keyOf(path, parameters), 'rows'],
    queryFn: ({ pageParam }) => read(path, withCursor(parameters, pageParam)) as Promise<Page<RowOf<Path>>>,
    initialPageParam: null as string | null,
    getNextPageParam: (last) => (last.has_more ? (last.searched_to ?? idOf(last.data.at(-1))) : null),
    enabled: isEnabled,
    refetchInterval: everyMs ?? false,
    placeholderData: keepPreviousData,
  })
  const pages = list.data?.pages ?? []
  return {
    rows: pages.flatMap(({ data }) => data),
    isLoading: isEnabled && list.isPending,
    error: list.error,
    hasMore: list.hasNextPage,
    isOfOtherFilter: list.isPlaceholderData,
    isLoadingMore: list.isFetchingNextPage,
    searchedTo: pages.at(-1)?.searched_to ?? null,
    loadMore: () => void list.fetchNextPage(),
    retry: () => void list.refetch(),
  }
}

/**
 * All rows of a list that is short by its nature, such as the topics of a team: page after page, up to a limit. For fields that offer them.
 * It is loading until all are there.
 */
export function useAllRows<Path extends ListPath>(path: Path, { isEnabled = true }: { isEnabled?: boolean } = {}): Rows<RowOf<Path>> {
  const list = useRows(path, { query: { limit: PAGE_MAX } } as unknown as ParametersOf<Path>, { isEnabled })
  const { hasMore, isLoadingMore, loadMore, error } = list
  const goesOn = hasMore && !isLoadingMore && error === null && list.rows.length < ALL_ROWS_MAX
  useEffect(() => {
    if (goesOn) loadMore()
  })
  return { ...list, isLoading: list.isLoading || goesOn || isLoadingMore }
}
const PAGE_MAX = 100
const ALL_ROWS_MAX = 1_000

function withCursor(parameters: unknown, after: string | null): unknown {
  const { query, ...others } = (parameters ?? {}) as { query?: object }
  return { ...others, query: { ...query, ...(after === null ? {} : { after }) } }
}

const idOf = (row: unknown): string | null => (row as { id?: string } | undefined)?.id ?? null
