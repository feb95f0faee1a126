#include "uri/uri.h"

#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "base/utf8.h"

namespace knarr {
namespace {

void expect_refused(std::string_view uri) {
  try {
    parse_uri(uri);
    ADD_FAILURE() << "accepted " << uri;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    EXPECT_TRUE(is_utf8(error.what())) << "the message must be printable";
  }
}

TEST(Uri, SplitsIntoComponents) {
  EXPECT_EQ(parse_uri("viking://"), Path());
  EXPECT_EQ(parse_uri("viking://a"), Path{"a"});
  EXPECT_EQ(parse_uri("viking://a/"), Path{"a"});
  EXPECT_EQ(parse_uri("viking://a/b c/d.md"), (Path{"a", "b c", "d.md"}));
  EXPECT_EQ(parse_uri("viking://a/.abstract.md"), (Path{"a", ".abstract.md"}));
  EXPECT_EQ(parse_uri("viking://a/.../..x"), (Path{"a", "...", "..x"}));
}

TEST(Uri, DecodesExactlyOnce) {
  EXPECT_EQ(parse_uri("viking://TCP%2FIP"), Path{"TCP/IP"});
  EXPECT_EQ(parse_uri("viking://TCP%252FIP"), Path{"TCP%2FIP"});
  EXPECT_EQ(parse_uri("viking://%e6%B5%8b"), Path{"测"});
  EXPECT_EQ(parse_uri("viking://two%20words"), parse_uri("viking://two words"));
  EXPECT_EQ(parse_uri("viking://%252e%252e"), Path{"%2e%2e"});
}

TEST(Uri, RefusesWhatWouldMeanSomethingElse) {
  for (const std::string_view uri : {"",
                                     "a/b",
                                     "/etc/passwd",
                                     "file:///etc/passwd",
                                     "Viking://a",
                                     "viking:/a",
                                     "viking:///",
                                     "viking:///a",
                                     "viking://a//b",
                                     "viking://a//",
                                     "viking://.",
                                     "viking://..",
                                     "viking://a/./b",
                                     "viking://a/../b",
                                     "viking://%2e%2e/b",
                                     "viking://%2e%2E%2fb",
                                     "viking://..%5cb",
                                     "viking://..\\b",
                                     "viking://.%2Fb",
                                     "viking://%",
                                     "viking://%4",
                                     "viking://%zz",
                                     "viking://a%00b",
                                     "viking://a\x01",
                                     "viking://a\x7f",
                                     "viking://%0A",
                                     "viking://%C2%85",
                                     "viking://\xff",
                                     "viking://%C3",
                                     "viking://%C0%AF",
                                     "viking://%ED%A0%80",
                                     "viking://%F4%90%80%80",
                                     "viking://\xe6\xb5"}) {
    expect_refused(uri);
  }
  expect_refused(std::string_view("viking://a\0b", 12));
  expect_refused("viking://" + std::string(kMaxUriBytes, 'a'));
}

// Every byte at every place of words of eight, beside the rules one by one.
TEST(Uri, ComponentsAreJudgedByTheirBytes) {
  const auto is_fine = [](std::string_view name) {
    const std::string_view head = name.substr(0, name.find_first_of("/\\"));
    if (name.empty() || head == "." || head == ".." || !is_utf8(name)) return false;
    for (const char c : name) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x20 || byte == 0x7f) return false;
    }
    return true;
  };
  for (int c = 0; c < 256; ++c) {
    for (const std::string_view text :
         {"a", "..", "./x", ".", "plain", "exactly8", "seventeen of them"}) {
      for (std::size_t at = 0; at <= text.size(); ++at) {
        for (const std::size_t gone : {0u, 1u}) {
          std::string name(text);
          if (at + gone > text.size()) continue;
          name.replace(at, gone, 1, static_cast<char>(c));
          ASSERT_EQ(component_fault(name).empty(), is_fine(name)) << name;
        }
      }
    }
  }
  EXPECT_NE(component_fault("a\xc2\x80"), "");  // a control character of two bytes
  EXPECT_EQ(component_fault("a\xc2\xa0"), "");
}

TEST(Uri, MessagesQuoteTheUri) {
  try {
    parse_uri("viking://größe/../x\n");
    FAIL();
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("viking://größe/../x?"), std::string::npos) << message;
    EXPECT_NE(message.find("\"..\""), std::string::npos) << message;
  }
}

// One message for each cause: the component, the character, what to do.
TEST(Uri, MessagesSayTheCause) {
  const auto cause_of = [](const std::string& uri) -> std::string {
    try {
      parse_uri(uri);
    } catch (const Error& error) {
      const std::string_view message = error.what();
      return std::string(message.substr(message.find("\": ") + 3));
    }
    return "accepted";
  };
  const std::string scheme = "expected a URI that starts with viking://";
  const std::vector<std::pair<std::string, std::string>> causes = {
      {"", scheme},
      {"file:///x", scheme},
      {"Viking://x", scheme + "; the scheme is written in lower case"},
      {" viking://x", scheme + "; remove the blanks before it"},
      {"viking://a//b", "component 2 is empty; names are parted by one \"/\""},
      {"viking://a//", "component 2 is empty; names are parted by one \"/\""},
      {"viking://a/..",
       "component 2 is the step \"..\", which is no name; write the path that is meant"},
      {"viking://.%2Fb",
       "component 1 is the step \".\", which is no name; write the path that is meant"},
      {"viking://a/é%07b",
       "component 2 holds the control character U+0007 at character 2; remove it"},
      {std::string("viking://a\0b", 12),
       "component 1 holds the control character U+0000 at character 2; remove it"},
      {"viking://%C2%85",
       "component 1 holds the control character U+0085 at character 1; remove it"},
      {"viking://ab%FF", "component 1 is not UTF-8: byte 3 is 0xFF"},
      {"viking://a/é%2g",
       "component 2 has a \"%\" at character 2 without two hexadecimal digits behind it; a plain "
       "\"%\" is written %25"},
      {"viking://" + std::string(kMaxUriBytes, 'a'), "65545 bytes, expected at most 65536"},
  };
  for (const auto& [uri, cause] : causes) EXPECT_EQ(cause_of(uri), cause) << uri;
}

TEST(Uri, FormatsDirectoriesWithASlash) {
  EXPECT_EQ(format_uri({}, true), "viking://");
  EXPECT_EQ(format_uri({"a", "b"}, true), "viking://a/b/");
  EXPECT_EQ(format_uri({"a", "b"}, false), "viking://a/b");
  EXPECT_EQ(format_uri({"50% a/b?c#d\\e", "测试"}, false),
            "viking://50%25%20a%2Fb%3Fc%23d%5Ce/测试");
}

// NS-03: any component comes back from its URI, and different ones have different URIs.
TEST(Uri, RoundTrips) {
  std::mt19937 random(5);
  const std::vector<std::string> pieces = {"a",  "%", "/", "%2F", "?", "#",
                                           "\\", " ", ".", "é",   "🎉", "25"};
  for (int round = 0; round < 3000; ++round) {
    Path path(1 + random() % 3);
    for (std::string& component : path) {
      do {
        component.clear();
        for (unsigned i = 0; i <= random() % 5; ++i) component += pieces[random() % pieces.size()];
      } while (!component_fault(component).empty());
    }
    EXPECT_EQ(parse_uri(format_uri(path, false)), path);
    EXPECT_EQ(parse_uri(format_uri(path, true)), path);
  }
}

// No bytes whatever make the parser do anything but answer or refuse.
TEST(Uri, AnyBytesAreAnsweredOrRefused) {
  std::mt19937 random(6);
  for (int round = 0; round < 20000; ++round) {
    std::string uri = "viking://";
    for (unsigned i = 0; i < random() % 12; ++i) {
      uri += random() % 3 == 0 ? "%/.%2\\"[random() % 6] : static_cast<char>(random());
    }
    try {
      const Path path = parse_uri(uri);
      EXPECT_EQ(parse_uri(format_uri(path, true)), path);
    } catch (const Error& error) {
      EXPECT_TRUE(is_utf8(error.what()));
    }
  }
}

}  // namespace
}  // namespace knarr
