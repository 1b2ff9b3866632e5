// What somebody who uses the API writes, with the types made from its description. Compiled, not run.
import createClient from 'openapi-fetch';
import type {components, paths} from './api';

type Schemas = components['schemas'];

export async function nightly(baseUrl: string, token: string, runFile: Schemas['RunFile']): Promise<number> {
    const client = createClient<paths>({baseUrl, headers: {Authorization: `Bearer ${token}`}});
    const submitted = await client.POST('/api/v1/runs', {body: runFile, params: {header: {'Idempotency-Key': 'nightly'}}});
    if (!submitted.data) throw new Error(submitted.error.errors?.map(({field, message}) => `${field ?? ''}: ${message}`).join('\n'));
    const id: string = submitted.data.run_id;

    const run = await client.GET('/api/v1/runs/{id}', {params: {path: {id}}});
    const state: 'queued' | 'running' | 'paused' | 'cancelling' | 'cancelled' | 'finishing' | 'done' | 'failed' | undefined = run.data?.state;
    if (state !== 'done') return 0;

    // A list of tags, and records with their fields.
    const {data} = await client.GET('/api/v1/runs/{id}/records', {params: {path: {id}, query: {tag: ['lang:en', 'level:hard'], passed: false}}});
    let tokens = 0;
    for (const record of data?.records ?? []) {
        const answer: string | null = record.answer;
        tokens += answer === null ? 0 : record.output_tokens ?? 0;
    }

    const summary = await client.GET('/api/v1/runs/{id}/summary', {params: {path: {id}}});
    const ready: boolean | null | undefined = summary.data?.release_ready;

    const judge: Schemas['Judge'] = {provider: 'main', name: 'judge', version: '1'};
    const policy: Schemas['Policy'] = {gates: {min_pass_rate: 0.9}};
    await client.POST('/api/v1/runs/{id}/rejudge', {params: {path: {id}}, body: {judge, policy}});

    const group = await client.GET('/api/v1/groups/{id}', {params: {path: {id: submitted.data.group_id ?? ''}}});
    const ofGroup: Schemas['GroupSummary'] | null | undefined = group.data?.summary;
    return ready && ofGroup !== undefined ? tokens : 0;
}

export async function misspelt(baseUrl: string): Promise<void> {
    const client = createClient<paths>({baseUrl});
    // @ts-expect-error there is no such path
    await client.GET('/api/v1/rnus');
    // @ts-expect-error tags are a list
    await client.GET('/api/v1/runs/{id}/records', {params: {path: {id: 'x'}, query: {tag: 'lang:en'}}});
    // @ts-expect-error a judge has a name
    await client.POST('/api/v1/runs/{id}/rejudge', {params: {path: {id: 'x'}}, body: {judge: {provider: 'main'}}});
}
