// The official clients accept what the simulator says: whole and streamed answers, token counts, errors.
import assert from 'node:assert/strict';
import test from 'node:test';

import {load, startSimulator} from './support.mjs';

const {default: OpenAI, AzureOpenAI} = await load('openai');
const {default: Anthropic} = await load('@anthropic-ai/sdk');
const {GoogleGenAI} = await load('@google/genai');
const {Ollama} = await load('ollama');
const {BedrockRuntimeClient, ConverseCommand, ConverseStreamCommand} = await load('@aws-sdk/client-bedrock-runtime');

const url = await startSimulator();
const asked = 'Why? [[simulate answer="It is so, said the cat." cached=3]]';
const limited = 'Why? [[simulate status=429 retry_after=1]]';
const said = 'It is so, said the cat.';
const messages = [{role: 'user', content: asked}];

const openai = new OpenAI({baseURL: `${url}/v1`, apiKey: 'k', maxRetries: 0});
const azure = new AzureOpenAI({endpoint: url, apiKey: 'k', apiVersion: '2024-10-21', deployment: 'm', maxRetries: 0});

for (const [name, client] of [['openai', openai], ['azure', azure]]) {
    test(`${name}: chat completions`, async () => {
        const whole = await client.chat.completions.create({model: 'm', messages});
        assert.equal(whole.choices[0].message.content, said);
        assert.equal(whole.choices[0].finish_reason, 'stop');
        assert.equal(whole.usage.prompt_tokens_details.cached_tokens, 3);
        let text = '';
        let usage;
        const stream = await client.chat.completions.create(
            {model: 'm', messages, stream: true, stream_options: {include_usage: true}});
        for await (const chunk of stream) {
            text += chunk.choices[0]?.delta?.content ?? '';
            usage = chunk.usage ?? usage;
        }
        assert.equal(text, said);
        assert.equal(usage.total_tokens, whole.usage.total_tokens);
    });
    test(`${name}: a rate limit`, async () => {
        await assert.rejects(client.chat.completions.create({model: 'm', messages: [{role: 'user', content: limited}]}),
            (error) => error instanceof OpenAI.RateLimitError);
    });
}

test('openai: responses', async () => {
    const whole = await openai.responses.create({model: 'm', input: asked, store: false});
    assert.equal(whole.output_text, said);
    assert.equal(whole.status, 'completed');
    assert.equal(whole.usage.input_tokens_details.cached_tokens, 3);
    const stream = openai.responses.stream({model: 'm', input: asked, store: false});
    let text = '';
    stream.on('response.output_text.delta', (event) => { text += event.delta; });
    const end = await stream.finalResponse();
    assert.equal(text, said);
    assert.equal(end.output_text, said);
    assert.equal(end.usage.output_tokens, whole.usage.output_tokens);
    const cut = await openai.responses.create({model: 'm', input: 'Why? [[simulate answer="It is so." finish=length]]'});
    assert.equal(cut.status, 'incomplete');
    assert.equal(cut.incomplete_details.reason, 'max_output_tokens');
});

test('openai: plain completions', async () => {
    const whole = await openai.completions.create({model: 'm', prompt: asked});
    assert.equal(whole.choices[0].text, said);
    let text = '';
    for await (const chunk of await openai.completions.create({model: 'm', prompt: asked, stream: true}))
        text += chunk.choices[0]?.text ?? '';
    assert.equal(text, said);
});

test('openai: a list of models', async () => {
    const names = [];
    for await (const model of openai.models.list()) names.push(model.id);
    assert.deepEqual(names, ['simulated/any']);
});

test('anthropic: messages', async () => {
    const client = new Anthropic({baseURL: url, apiKey: 'k', maxRetries: 0});
    const whole = await client.messages.create({model: 'm', max_tokens: 100, messages});
    assert.equal(whole.content[0].text, said);
    assert.equal(whole.stop_reason, 'end_turn');
    assert.equal(whole.usage.cache_read_input_tokens, 3);
    const stream = client.messages.stream({model: 'm', max_tokens: 100, messages});
    assert.equal(await stream.finalText(), said);
    await assert.rejects(client.messages.create({model: 'm', max_tokens: 9, messages: [{role: 'user', content: limited}]}),
        (error) => error.status === 429);
});

test('google: generateContent, of Gemini', async () => {
    const client = new GoogleGenAI({apiKey: 'k', httpOptions: {baseUrl: url}});
    const request = {model: 'm', contents: asked};
    const whole = await client.models.generateContent(request);
    assert.equal(whole.text, said);
    assert.equal(whole.usageMetadata.cachedContentTokenCount, 3);
    let text = '';
    for await (const chunk of await client.models.generateContentStream(request)) text += chunk.text ?? '';
    assert.equal(text, said);
});

test('ollama: chat', async () => {
    const client = new Ollama({host: url});
    const whole = await client.chat({model: 'm', messages});
    assert.equal(whole.message.content, said);
    assert.equal(whole.done_reason, 'stop');
    let text = '';
    for await (const part of await client.chat({model: 'm', messages, stream: true})) text += part.message.content;
    assert.equal(text, said);
});

test('aws: converse of Bedrock', async () => {
    const client = new BedrockRuntimeClient({
        endpoint: url, region: 'us-east-1', maxAttempts: 1,
        credentials: {accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret'},
        requestHandler: new (await load('@smithy/node-http-handler')).NodeHttpHandler(),
    });
    const request = {modelId: 'amazon.nova-pro-v1:0', messages: [{role: 'user', content: [{text: asked}]}]};
    const whole = await client.send(new ConverseCommand(request));
    assert.equal(whole.output.message.content[0].text, said);
    assert.equal(whole.stopReason, 'end_turn');
    assert.equal(whole.usage.cacheReadInputTokens, 3);
    const streamed = await client.send(new ConverseStreamCommand(request));
    let text = '';
    let end = {};
    for await (const event of streamed.stream) {
        text += event.contentBlockDelta?.delta?.text ?? '';
        end = {...end, ...event.messageStop, ...event.metadata};
    }
    assert.equal(text, said);
    assert.equal(end.stopReason, 'end_turn');
    assert.equal(end.usage.totalTokens, whole.usage.totalTokens);
    await assert.rejects(
        client.send(new ConverseCommand({...request, messages: [{role: 'user', content: [{text: limited}]}]})),
        (error) => error.name === 'ThrottlingException');
});
