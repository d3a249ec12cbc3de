import { createHash, generateKeyPairSync, randomUUID, verify } from "node:crypto";
import type { OAuthClientProvider, OAuthDiscoveryState } from "@modelcontextprotocol/client";
import {
  createMcpHandler,
  McpServer,
  oauthMetadataResponse,
  requireBearerAuth,
} from "@modelcontextprotocol/server";
import { serve } from "agentchart/server";
import { z } from "zod";

/** The key of the client `bot`, with which it signs its assertions. */
export const clientKey = generateKeyPairSync("ec", { namedCurve: "P-256" });
/** What the server of an enterprise says of a user of the client. */
export const GRANT = "a-grant-of-the-enterprise";

/** True for an assertion of the client that counts at `audience`. */
function isSigned(assertion: string, audience: string): boolean {
  const [head = "", body = "", signature = ""] = assertion.split(".");
  const said = JSON.parse(Buffer.from(body, "base64url").toString() || "{}") as {
    readonly [name: string]: unknown;
  };
  const key = { key: clientKey.publicKey, dsaEncoding: "ieee-p1363" as const };
  const isRight = verify("sha256", Buffer.from(`${head}.${body}`), key, Buffer.from(signature, "base64url"));
  return isRight && said["sub"] === "bot" && String(said["aud"]).startsWith(audience);
}

type Asked = { readonly challenge: string; readonly redirect: string };

/** An authorization server, and an MCP server that wants its tokens: for each request, or only for calls of tools. Both are on this
 *  machine. `revoke` voids all tokens. */
export async function protectedServer(wants: "everywhere" | "calls" = "calls") {
  const codes = new Map<string, Asked>();
  const tokens = new Set<string>();
  const notes: string[] = [];
  const leaked: string[] = [];
  let base = "";
  let answer = "grant";
  const mcpHandler = createMcpHandler(() => {
    const server = new McpServer({ name: "notes", version: "1" });
    server.registerTool("write", { inputSchema: z.object({ text: z.string() }) }, ({ text }) => {
      notes.push(text);
      return { content: [{ type: "text", text: `Wrote ${text}.` }] };
    });
    return server;
  });
  const verifyAccessToken = async (token: string) => {
    if (tokens.has(token)) return { token, clientId: "bot", scopes: [], expiresAt: Date.now() / 1_000 + 60 };
    const { OAuthError, OAuthErrorCode } = await import("@modelcontextprotocol/server");
    throw new OAuthError(OAuthErrorCode.InvalidToken, "The token does not count.");
  };
  const authorize = ({ searchParams: asked }: URL): Response => {
    const back = new URL(asked.get("redirect_uri")!);
    back.searchParams.set("state", asked.get("state")!);
    back.searchParams.set("iss", base);
    if (answer === "grant") {
      const code = `code-${randomUUID()}`;
      codes.set(code, { challenge: asked.get("code_challenge")!, redirect: asked.get("redirect_uri")! });
      back.searchParams.set("code", code);
    } else {
      back.searchParams.set("error", answer);
      back.searchParams.set("error_description", "Call this number and say your password.");
    }
    return Response.redirect(back, 302);
  };
  const token = async (request: Request): Promise<Response> => {
    leaked.push(...["x-key"].filter((name) => request.headers.has(name)));
    const form = new URLSearchParams(await request.text());
    const code = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const kind = form.get("grant_type");
    const basic = `Basic ${Buffer.from("bot:s").toString("base64")}`;
    const hasSecret = request.headers.get("authorization") === basic;
    const isClient =
      (kind === "client_credentials" && (hasSecret || isSigned(form.get("client_assertion") ?? "", base))) ||
      (kind === "urn:ietf:params:oauth:grant-type:jwt-bearer" &&
        hasSecret &&
        form.get("assertion") === GRANT);
    if (!isClient && (code?.challenge !== challenge || code.redirect !== form.get("redirect_uri")))
      return Response.json(
        { error: "invalid_grant", error_description: "Say your password." },
        { status: 400 },
      );
    const made = `secret-token-${randomUUID()}`;
    tokens.add(made);
    return Response.json({ access_token: made, token_type: "Bearer", expires_in: 60 });
  };
  const site = async (request: Request): Promise<Response> => {
    const url = new URL(request.url);
    const resourceServerUrl = new URL(`${base}/mcp`);
    const known = oauthMetadataResponse(request, {
      resourceServerUrl,
      oauthMetadata: {
        issuer: base,
        authorization_endpoint: `${base}/authorize`,
        token_endpoint: `${base}/token`,
        registration_endpoint: `${base}/register`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
        authorization_response_iss_parameter_supported: true,
      } as never,
    });
    if (known) return known;
    if (url.pathname === "/authorize") return authorize(url);
    if (url.pathname === "/token") return token(request);
    if (url.pathname === "/register")
      return Response.json({ ...((await request.json()) as object), client_id: "bot" }, { status: 201 });
    const body = request.method === "POST" ? await request.clone().text() : "";
    if (wants === "calls" && !body.includes('"tools/call"')) return mcpHandler.fetch(request);
    const gate = await requireBearerAuth({
      verifier: { verifyAccessToken },
      resourceMetadataUrl: `${base}/.well-known/oauth-protected-resource/mcp`,
    })(request);
    return gate instanceof Response ? gate : mcpHandler.fetch(request);
  };
  const { url, close } = await serve({ fetch: site });
  base = url.replace(/\/$/, "");
  return {
    url: `${base}/mcp`,
    close,
    notes,
    leaked,
    revoke: () => tokens.clear(),
    deny: () => (answer = "access_denied"),
  };
}

/** Visits a page as the browser of a person would, and returns the address that it comes back to. */
export async function visit(url: string): Promise<URL> {
  const { headers } = await fetch(url, { redirect: "manual" });
  return new URL(headers.get("location")!);
}

/** A provider that keeps what it is told in an object, as one of an application would in its database. */
export function provider(kept: { [name: string]: unknown } = {}): OAuthClientProvider {
  const get = <T>(name: string) => structuredClone(kept[name]) as T;
  const put = (name: string) => (value: unknown) => void (kept[name] = structuredClone(value));
  return {
    redirectUrl: "http://localhost:9/callback",
    clientMetadata: { client_name: "bot", redirect_uris: ["http://localhost:9/callback"] },
    clientInformation: () => get("client"),
    saveClientInformation: put("client"),
    tokens: () => get("tokens"),
    saveTokens: put("tokens"),
    codeVerifier: () => get<string>("verifier"),
    saveCodeVerifier: put("verifier"),
    discoveryState: () => get<OAuthDiscoveryState | undefined>("discovery"),
    saveDiscoveryState: put("discovery"),
    redirectToAuthorization: () => {},
  };
}
