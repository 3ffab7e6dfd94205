package io.agentjournal.payload;

import com.google.protobuf.ByteString;
import io.agentjournal.refusal.Refusal.InvalidField;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonReadFeature;

/**
 * Reads JSON texts (RFC 8259) token by token, only to tell whether they are JSON: what is stored is
 * the text. Numbers of any size, duplicate keys and escapes of lone surrogates are JSON; {@code
 * NaN}, comments, trailing commas and a second value are not. Thread-safe.
 */
public final class JsonText {
  /** How deep arrays and objects may be nested. */
  public static final int MAX_DEPTH = 10_000;

  /** Up to here a copy is cheaper than a reader with its buffers. */
  private static final int MAX_SMALL_BYTES = 4 << 10;

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH)
                  .maxNumberLength(Integer.MAX_VALUE)
                  .maxNameLength(Integer.MAX_VALUE)
                  .maxStringLength(Integer.MAX_VALUE)
                  .build())
          // Only so that they arrive as tokens, whose place is known, and are refused here.
          .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
          .disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
          .build();

  private JsonText() {}

  /**
   * Takes time in proportion to the text: about 100 ms for 16 MiB.
   *
   * @throws InvalidField naming the field and the offset in bytes from which on it is not JSON
   */
  public static void check(String field, ByteString utf8) {
    try (JsonParser parser = parser(utf8)) {
      int depth = 0;
      for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
        if (token == JsonToken.VALUE_NUMBER_FLOAT && parser.isNaN()) {
          throw invalid(field, utf8, parser.currentTokenLocation(), "not a number of JSON");
        }
        depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
        if (depth == 0) {
          requireEnd(field, utf8, parser);
          return;
        }
      }
      throw InvalidField.ofJson(field, utf8.size(), "no value");
    } catch (StreamConstraintsException tooDeep) {
      throw InvalidField.because(field, "nested deeper than " + MAX_DEPTH);
    } catch (JacksonException e) {
      throw invalid(field, utf8, e.getLocation(), e.getOriginalMessage());
    }
  }

  /**
   * A member of the text's outermost object, if it is a whole number of 64 bits; else null. Of
   * duplicates the last counts. The text is JSON.
   */
  public static @Nullable Long longMember(ByteString utf8, String name) {
    try (JsonParser parser = parser(utf8)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        return null;
      }
      Long found = null;
      while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
        boolean isWanted = parser.currentName().equals(name);
        JsonToken value = parser.nextToken();
        if (isWanted) {
          found = value == JsonToken.VALUE_NUMBER_INT ? longOrNull(parser) : null;
        }
        parser.skipChildren();
      }
      return found;
    }
  }

  private static @Nullable Long longOrNull(JsonParser parser) {
    return switch (parser.getNumberType()) {
      case INT, LONG -> parser.getLongValue();
      case BIG_INTEGER, FLOAT, DOUBLE, BIG_DECIMAL -> null;
    };
  }

  private static void requireEnd(String field, ByteString utf8, JsonParser parser) {
    if (parser.nextToken() != null) {
      throw invalid(field, utf8, parser.currentTokenLocation(), "a second value");
    }
  }

  /**
   * From characters: of bytes the parser would guess the encoding, and accept others than UTF-8.
   */
  private static JsonParser parser(ByteString utf8) {
    return utf8.size() <= MAX_SMALL_BYTES
        ? FACTORY.createParser(ObjectReadContext.empty(), utf8.toStringUtf8())
        : FACTORY.createParser(
            ObjectReadContext.empty(),
            new InputStreamReader(utf8.newInput(), StandardCharsets.UTF_8));
  }

  private static InvalidField invalid(
      String field, ByteString utf8, @Nullable TokenStreamLocation location, String problem) {
    long offset = location == null ? 0 : byteOffset(utf8, location.getCharOffset());
    return InvalidField.ofJson(field, offset, problem);
  }

  /** Of the char with that number, as Java counts chars: two for a code point of four bytes. */
  private static int byteOffset(ByteString utf8, long charOffset) {
    int offset = 0;
    for (long chars = 0; chars < charOffset && offset < utf8.size(); ) {
      int lead = utf8.byteAt(offset) & 0xFF;
      int bytes = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
      offset += bytes;
      chars += bytes == 4 ? 2 : 1;
    }
    return offset;
  }
}
