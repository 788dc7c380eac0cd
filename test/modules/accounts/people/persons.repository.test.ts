import { expect, it } from 'vitest'
import { OWNERS_MAX } from '../../../../src/modules/accounts/people/persons.repository.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const service = shared(() => startTestService())

it('names the oldest owners of a team, a hundred at most', async () => {
  const { persons, teams } = service.service.context.repositories
  const { id } = await teams.create('Everyone owns it')
  await service.database.execute(
    `with made as (
       insert into persons (id, email, name, created_at)
       select id::uuid, 'owner-' || n || '@many.example', 'Owner', now()
         from (select n, lpad(n::text, 8, '0') || '-0000-7000-8000-000000000000' as id from generate_series(1, $2::int) n) each returning id
     )
     insert into members (team_id, person_id, role, is_by_groups, created_at) select $1, id, 'owner', false, now() from made`,
    [id, OWNERS_MAX + 5],
  )
  const addresses = (await persons.ownersOf(id)).map(({ email }) => email)
  expect(addresses).toEqual(Array.from({ length: OWNERS_MAX }, (_, index) => `owner-${index + 1}@many.example`))
})
