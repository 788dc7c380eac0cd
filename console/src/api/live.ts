// One stream of events for a tab that is looked at: what changed in a section is read again.
import { useEffect } from 'react'
import { queryClient } from './queries'

/** Pages of a team that sends all the time are read again this often. */
const TOGETHER_MS = 2_000

/** The first parts of the paths under which a section is read, where they are not its name. */
const PATHS: Readonly<Record<string, readonly string[]>> = {
  'received-emails': ['emails'],
  'contact-imports': ['contacts'],
  members: ['members', 'invitations'],
  // What uses a property or an event is read under those.
  automations: ['automations', 'contact-properties', 'events'],
  broadcasts: ['broadcasts', 'contact-properties'],
  segments: ['segments', 'contact-properties'],
  templates: ['templates', 'contact-properties'],
}
/** What is counted and pointed out from all sections. */
const ALWAYS = ['overview', 'usage']

let followAgain: (() => void) | null = null

/** Opens the stream again, once someone has signed in anew. */
export const reopenLive = (): void => followAgain?.()

/** @param teamId whose changes; nothing is opened for no team */
export function useLiveChanges(teamId: string | null): void {
  useEffect(() => {
    if (teamId === null) return
    const changed = new Set<string>()
    let timer: ReturnType<typeof setTimeout> | null = null
    const readAgain = (sections: readonly string[]) => {
      for (const section of [...sections.flatMap((each) => PATHS[each] ?? [each]), ...ALWAYS]) changed.add(section)
      timer ??= setTimeout(() => {
        timer = null
        for (const section of changed) void queryClient.invalidateQueries({ queryKey: [section] })
        changed.clear()
      }, TOGETHER_MS)
    }

    let stream: EventSource | null = null
    let wasOpen = false
    const open = () => {
      if (stream !== null) return
      const opened = new EventSource(`/live?team_id=${encodeURIComponent(teamId)}`)
      stream = opened
      opened.addEventListener('open', () => {
        // Nothing is told later of what happened before.
        if (wasOpen) void queryClient.invalidateQueries()
        wasOpen = true
      })
      opened.addEventListener('changed', ({ data }) => readAgain((JSON.parse(data as string) as { sections: string[] }).sections))
      // The session has ended, or the role is another.
      opened.addEventListener('over', () => {
        close()
        void queryClient.invalidateQueries({ queryKey: ['me'] })
      })
      // A browser gives up for good when it is answered with an error: it is asked again when the page is looked at.
      opened.addEventListener('error', () => {
        if (opened.readyState !== EventSource.CLOSED || stream !== opened) return
        stream = null
        // The session may have ended before the stream was opened.
        void queryClient.invalidateQueries({ queryKey: ['me'] })
      })
    }
    const close = () => {
      stream?.close()
      stream = null
    }
    const follow = () => (document.visibilityState === 'visible' ? open() : close())
    follow()
    followAgain = follow
    document.addEventListener('visibilitychange', follow)
    return () => {
      document.removeEventListener('visibilitychange', follow)
      followAgain = null
      if (timer !== null) clearTimeout(timer)
      close()
    }
  }, [teamId])
}
